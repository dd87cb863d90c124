# SPDX-License-Identifier: MIT
"""The same jobs in this process, one after the other: no isolation, no start-up, no Dask."""

import pickle
from collections.abc import Callable, Generator, Iterable
from typing import Any, cast

from gplandmark.engine.child import Reply, answer
from gplandmark.engine.jobs import Failure, FailureKind, Job, Outcome
from gplandmark.engine.stopping import Stop

__all__ = ["run_here"]


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
