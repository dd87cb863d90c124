# SPDX-License-Identifier: MIT
"""Jobs of a run into a folder of results, and how such a run resumes.

Nothing that is finished is done again, and what decides is content, never a date.

- Files of specimens are listed in the journal. `gplandmark.runs.plan` compares it with what is
  asked, before any work.
- Values that one stage of a run hands to the next are in the store, each under a key of everything
  that decides it. A job that is known there is not run. Large values are only there, and are read
  when they are needed.

``batch`` has one stage, from scans to files, and needs no store.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, get_type_hints

from gplandmark.errors import ClusterError
from gplandmark.runs.engine import Job, Outcome, StopRequest, Workers, run
from gplandmark.runs.job_keys import job_key
from gplandmark.runs.store import Store
from gplandmark.runs.stored_checks import has_type
from gplandmark.runs.values_on_demand import on_demand


class StoppedError(Exception):
    """Somebody asked to stop; what is finished is in the store."""


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Do nothing with how far a stage is."""


@dataclass(frozen=True, eq=False)
class JobRunner:
    """Where the jobs of a run are done, and what is kept of them.

    Attributes
    ----------
    workers : None for this process
    stop : whether somebody asked to stop
    timeout : seconds after which a scan is given up
    send : send scans to the workers
    store : results by job_key; None if results are only files
    progress : called with the name of the function, how many jobs of it are done, and of how many
    """

    workers: Workers | None = None
    stop: StopRequest = field(default_factory=StopRequest)
    timeout: float | None = None
    send: bool = False
    store: Store | None = None
    progress: Callable[[str, int, int], None] = ignore_progress

    @property
    def is_remote(self) -> bool:
        """Whether the workers may not see the files that this process sees."""
        return self.workers is not None and not self.workers.is_local

    def values(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """Call a function on every job, and return the results in order.

        Raises
        ------
        ClusterError
            A job failed, which none of these does by itself.
        StoppedError
            Somebody asked to stop.
        """
        found: dict[int, Any] = {}
        for number, outcome in self.outcomes(function, jobs, of_scans=False):
            if not outcome.is_done:
                raise ClusterError(
                    f"A part of the work failed ({function.__name__}): {outcome.reason}"
                )
            found[number] = outcome.value
        return [found[number] for number in range(len(jobs))]

    def outcomes(
        self,
        function: Callable[[Any], Any],
        jobs: Sequence[Any],
        *,
        memory: Sequence[int] = (),
        of_scans: bool = True,
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield the number and the outcome of every job, in any order; those known come first.

        Parameters
        ----------
        memory : bytes that each job may need
        of_scans : whether each job reads a scan, which `timeout` and `send` are about; it is then
            a `gplandmark.runs.engine.sent_files.FileTask`

        Raises
        ------
        StoppedError
            Somebody asked to stop, and jobs are left.
        """
        names = [] if self.store is None else [job_key(function, job) for job in jobs]
        waiting: list[Job] = []
        done = 0
        for number, job in enumerate(jobs):
            known = None if self.store is None else kept(self.store, names[number], function)
            if known is None:
                waiting.append(Job(number, job, memory[number] if memory else 0))
                continue
            done += 1
            yield number, Outcome(number, known["value"], seconds=known["seconds"])
        self.progress(function.__name__, done, len(jobs))
        timeout, send = (self.timeout, self.send) if of_scans else (None, False)
        for outcome in run(
            waiting, function, self.workers, timeout=timeout, stop=self.stop, send=send
        ):
            number = int(str(outcome.key))
            if outcome.is_done and self.store is not None:
                new = {"value": outcome.value, "seconds": outcome.seconds}
                self.store.put(names[number], new)
                outcome = replace(outcome, value=_left(self.store, names[number], outcome.value))
            done += 1
            self.progress(function.__name__, done, len(jobs))
            yield number, outcome
        if done < len(jobs):
            raise StoppedError


def kept(store: Store, name: str, function: Callable[[Any], Any]) -> dict[str, Any] | None:
    """Return the value that a store has of a job of this function, and the seconds it took.

    A large value is what stands for it. None if there is nothing that the function could return.
    """
    known = store.get(name)
    if not isinstance(known, dict) or known.keys() != {"value", "seconds"}:
        return None
    if not (has_type(known["value"], _returned(function)) and has_type(known["seconds"], float)):
        return None
    return {**known, "value": _left(store, name, known["value"])}


@cache
def _returned(function: Callable[[Any], Any]) -> Any:
    """The type that a function returns; the same few functions have thousands of jobs."""
    return get_type_hints(function).get("return", Any)


def _left(store: Store, name: str, value: Any) -> Any:
    """The value of a job that a store has, or if it is large what stands for it."""
    return on_demand(value, partial(stored, store, name))


def stored(store: Store, name: str) -> Any:
    """Return the value of a job that a store has; the last ones are kept in memory.

    Raises
    ------
    LandmarkFileError
        It was there, and can no longer be read.
    """
    return store.recent(name)["value"]
