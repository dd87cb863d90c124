# SPDX-License-Identifier: MIT
"""A job, how it ended, and a request to stop."""

import pickle
import signal
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal, TypeAlias, cast

from gplandmark.runs.engine.child import Reply, answer

__all__ = [
    "Failure",
    "FailureKind",
    "Job",
    "Outcome",
    "StopRequest",
    "outcome_of",
    "run_in_process",
    "stopped_by_signals",
]

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

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
        """Whether the same job may succeed at another time."""
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


class StopRequest:
    """Whether somebody has asked to stop; a run then finishes what it is writing."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def ask(self) -> None:
        """Ask to stop soon."""
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set()


@contextmanager
def stopped_by_signals() -> Iterator[StopRequest]:
    """Yield a request that Ctrl-C or the end of a queue's time makes; a second Ctrl-C ends all."""
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals come to the main thread only
        return

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's arguments
        if stop:
            raise KeyboardInterrupt
        stop.ask()

    before = {each: signal.signal(each, ask) for each in SIGNALS}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def run_in_process(
    jobs: Iterable[Job], function: Callable[[Any], Any], *, stop: StopRequest | None = None
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
