# SPDX-License-Identifier: MIT
"""A job, and how it ended."""

import pickle
from collections.abc import Callable, Generator, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from gplandmark.runs.engine.child import Reply, answer
from gplandmark.runs.engine.interrupts import Stop

__all__ = ["Failure", "FailureKind", "Job", "Outcome", "run_here"]

FailureKind: TypeAlias = Literal["refused", "error", "memory", "timeout", "crashed", "lost"]


@dataclass(frozen=True)
class Job:
    """One call of the function that a run is about.

    Attributes
    ----------
    key : what the caller knows it by, unique in a run
    argument : what the function is called with; it travels to the worker
    memory : bytes that it may need, 0 if that is not worth counting. Jobs run side by side
        only as far as their sum fits
    """

    key: Hashable
    argument: Any
    memory: int = 0


@dataclass(frozen=True)
class Failure:
    """Why a job has no value.

    Attributes
    ----------
    kind : "refused", the function said why in a `GplandmarkError`; "error", it failed in another
        way; "memory", it needed more than there is; "timeout"; "crashed", its process died;
        "lost", the whole worker died
    reason : one sentence
    """

    kind: FailureKind
    reason: str

    @property
    def may_pass(self) -> bool:
        """Tell whether the same job may succeed at another time."""
        return self.kind in ("memory", "timeout", "crashed", "lost")


@dataclass(frozen=True)
class Outcome:
    """How a job ended: with a value, or with a failure.

    Attributes
    ----------
    key : of the job
    value : what the function returned; None after a failure
    failure : None after a success
    seconds : that the function took, in its last attempt
    attempts : how often it was started
    notes : what the function warned of
    """

    key: Hashable
    value: Any = None
    failure: Failure | None = None
    seconds: float = 0.0
    attempts: int = 1
    notes: tuple[str, ...] = ()


def run_here(
    jobs: Iterable[Job], function: Callable[[Any], Any], *, stop: Stop | None = None
) -> Generator[Outcome, None, None]:
    """Yield the outcome of every job; a job that crashes or hangs takes everything with it."""
    for job in jobs:
        if stop:
            return
        yield outcome_of(job, answer(pickle.dumps(function), pickle.dumps(job.argument)), 1)


def outcome_of(job: Job, reply: Reply, attempts: int) -> Outcome:
    """Return the outcome that a reply of a process means."""
    kind, content, seconds, notes = reply
    if kind == "value":
        return Outcome(job.key, pickle.loads(content), None, seconds, attempts, notes)
    failure = Failure(cast(FailureKind, kind), content)
    return Outcome(job.key, None, failure, seconds, attempts, notes)
