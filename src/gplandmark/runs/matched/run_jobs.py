# SPDX-License-Identifier: MIT
"""Jobs of a sample on the engine: in order, remembered, and given up when somebody asks."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gplandmark.errors import ClusterError
from gplandmark.runs.engine import Job, Outcome, StopRequest, Workers, run, run_in_process
from gplandmark.runs.matched.fingerprints import fingerprint
from gplandmark.runs.matched.store import Store

__all__ = ["StoppedError", "Workshop", "unseen"]


class StoppedError(Exception):
    """Somebody asked to stop; what is finished is in the store."""


def unseen(stage: str, done: int, total: int) -> None:
    """See how far a stage is, and tell nobody."""


@dataclass(frozen=True, eq=False)
class Workshop:
    """Where the jobs of a sample are done, and what is kept of them.

    Attributes
    ----------
    store : results by fingerprint
    workers : workers; None for this process
    stop : whether somebody asked to stop
    see : is told the name of the function, how many jobs of it are done, and of how many
    """

    store: Store
    workers: Workers | None = None
    stop: StopRequest = field(default_factory=StopRequest)
    see: Callable[[str, int, int], None] = unseen

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
        for number, outcome in self.outcomes(function, jobs):
            if outcome.failure is not None:
                raise ClusterError(
                    f"A part of the work failed ({function.__name__}): {outcome.failure.reason}"
                )
            found[number] = outcome.value
        return [found[number] for number in range(len(jobs))]

    def outcomes(
        self,
        function: Callable[[Any], Any],
        jobs: Sequence[Any],
        *,
        memory: Sequence[int] = (),
        prepare: Callable[[Any], Any] | None = None,
        timeout: float | None = None,
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield the number and the outcome of every job, in any order; those known come first.

        `memory`, `prepare` and `timeout` are as of `gplandmark.runs.engine`.

        Raises
        ------
        StoppedError
            Somebody asked to stop, and jobs are left.
        """
        names = [fingerprint(function, job) for job in jobs]
        left: list[Job] = []
        done = 0
        for number, name in enumerate(names):
            known = self.store.get(name)
            if known is None:
                need = memory[number] if memory else 0
                left.append(Job(number, jobs[number], need))
                continue
            done += 1
            yield number, Outcome(number, known["value"], seconds=known["seconds"])
        self.see(function.__name__, done, len(jobs))
        for outcome in self._run(function, left, prepare, timeout):
            number = int(str(outcome.key))
            if outcome.failure is None:
                kept = {"value": outcome.value, "seconds": outcome.seconds}
                self.store.put(names[number], kept)
            done += 1
            self.see(function.__name__, done, len(jobs))
            yield number, outcome
        if done < len(jobs):
            raise StoppedError

    def _run(
        self,
        function: Callable[[Any], Any],
        jobs: Sequence[Job],
        prepare: Callable[[Any], Any] | None,
        timeout: float | None,
    ) -> Iterator[Outcome]:
        if not jobs:
            return
        if self.workers is None:
            yield from run_in_process(jobs, function, stop=self.stop)
        else:
            yield from run(
                jobs, function, self.workers, timeout=timeout, stop=self.stop, prepare=prepare
            )
