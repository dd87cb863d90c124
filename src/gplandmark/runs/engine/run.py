# SPDX-License-Identifier: MIT
"""Jobs go out in groups and outcomes come back; what died is tried again, alone."""

import pickle
import queue
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gplandmark.errors import ClusterError
from gplandmark.runs.engine.dask_worker import MEMORY, run_group
from gplandmark.runs.engine.interrupts import Stop
from gplandmark.runs.engine.jobs import Job, Outcome, outcome_of
from gplandmark.runs.engine.workers import Crew

__all__ = ["run"]

ATTEMPTS = 3  # for jobs whose process or worker died
GROUP_SECONDS = 0.5  # what a group of small jobs should take: a hundred times Dask's own work
GROUP_JOBS = 50
AHEAD = 2  # groups per worker that are sent out: one at work, one waiting
LOOK = 0.2  # seconds between looks at whether to stop
CAPACITY_AGE = 2.0  # seconds for which we trust what we know of the workers


@dataclass(frozen=True)
class Attempt:
    """A job, how often it was started, and whether it now has a worker for itself."""

    job: Job
    number: int = 1
    is_alone: bool = False


@dataclass
class Pace:
    """What jobs of each size took so far; sizes are powers of two of memory."""

    seconds: dict[int, float] = field(default_factory=dict)

    def learn(self, job: Job, seconds: float) -> None:
        size = job.memory.bit_length()
        known = self.seconds.get(size, seconds)
        self.seconds[size] = 0.8 * known + 0.2 * seconds

    def group_size(self, job: Job) -> int:
        """How many jobs like this one make a group; one until we know better."""
        known = self.seconds.get(job.memory.bit_length())
        return 1 if known is None else min(GROUP_JOBS, 1 + int(GROUP_SECONDS / max(known, 1e-4)))


def run(
    jobs: Iterable[Job],
    function: Callable[[Any], Any],
    crew: Crew,
    *,
    timeout: float | None = None,
    stop: Stop | None = None,
    prepare: Callable[[Any], Any] | None = None,
) -> Generator[Outcome, None, None]:
    """Yield the outcome of every job as it comes, in any order.

    Nothing that a job does ends the run. One whose process or worker died is tried again, twice
    at most and with a worker for itself; one that took longer than `timeout` seconds is ended.
    A run that is asked to stop sends out nothing more and gives up what is at work. `prepare` turns
    the argument of a job into what is sent to the worker, just before that: it may read a file.

    Raises
    ------
    ClusterError
        The scheduler has gone.
    """
    stop = Stop() if stop is None else stop
    prepare = prepare or (lambda argument: argument)
    return _Run(function, crew, timeout, stop, prepare).outcomes(jobs)


class _Run:
    """The state of one run: what waits, what is at work, and what has come back."""

    def __init__(
        self,
        function: Callable[[Any], Any],
        crew: Crew,
        timeout: float | None,
        stop: Stop,
        prepare: Callable[[Any], Any],
    ) -> None:
        import cloudpickle  # comes with distributed; also takes functions of a user's own script

        self.function = cloudpickle.dumps(function)
        self.crew, self.timeout, self.stop, self.prepare = crew, timeout, stop, prepare
        self.pace = Pace()
        self.waiting: deque[Attempt] = deque()
        self.at_work: dict[Any, list[Attempt]] = {}
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.idle: set[Any] = set()
        self.slots, self.memory, self.asked = 0, 0, float("-inf")

    def outcomes(self, jobs: Iterable[Job]) -> Generator[Outcome, None, None]:
        self.waiting.extend(map(Attempt, jobs))
        try:
            while (self.waiting or self.at_work) and not self.stop:
                self.send()
                try:
                    future = self.finished.get(timeout=LOOK)
                except queue.Empty:
                    self.check_alive()
                    continue
                yield from self.received(future)
        finally:
            if self.at_work and self.crew.client.status == "running":
                self.crew.client.cancel(list(self.at_work), force=True)

    def send(self) -> None:
        """Keep every worker busy, without sending out more than that takes."""
        if time.monotonic() - self.asked > CAPACITY_AGE:
            self.slots, self.memory = self.crew.capacity()
            self.revive()
            self.asked = time.monotonic()
        while self.waiting and len(self.at_work) < AHEAD * self.slots:
            self.submit(self.next_group())

    def revive(self) -> None:
        """Send again what has had no worker for a while, although there are some.

        Dask gives such work to a worker when it joins, and does not ask again when the worker
        tells of its memory a moment later.
        """
        taken = {key for keys in self.crew.client.processing().values() for key in keys}
        idle = {each for each in self.at_work if each.status == "pending" and each.key not in taken}
        for future in idle & self.idle if self.slots else ():
            self.crew.client.cancel([future], force=True)
            self.submit(self.at_work.pop(future))
        self.idle = idle

    def next_group(self) -> list[Attempt]:
        """Take jobs of one size, as many as are worth a message; fewer towards the end."""
        group = [self.waiting.popleft()]
        first = group[0]
        fair = 1 + len(self.waiting) // (AHEAD * max(self.slots, 1))
        size = 1 if first.is_alone else min(self.pace.group_size(first.job), fair)
        alike = first.job.memory.bit_length()
        while len(group) < size and self.waiting:
            following = self.waiting[0]
            if following.is_alone or following.job.memory.bit_length() != alike:
                break
            group.append(self.waiting.popleft())
        return group

    def submit(self, group: list[Attempt]) -> None:
        needed = max(each.job.memory for each in group)
        if self.memory:  # a job that is larger than every worker has one for itself
            needed = self.memory if group[0].is_alone else min(needed, self.memory)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # jobs carry their content
            future = self.crew.client.submit(
                run_group,
                self.function,
                [pickle.dumps(self.prepare(each.job.argument)) for each in group],
                self.timeout,
                resources={MEMORY: needed} if needed else None,
                pure=False,
            )
        self.at_work[future] = group
        future.add_done_callback(self.finished.put)

    def received(self, future: Any) -> Iterator[Outcome]:
        """Yield what is settled, and put back what is worth another attempt."""
        group = self.at_work.pop(future, None)
        if group is None:
            return  # it was given up and sent again
        try:
            replies = future.result()
        except Exception as error:  # the group has no replies: its worker died, or did not know us
            replies = [(*self.explained(error), 0.0, ())] * len(group)
        for attempt, reply in zip(group, replies, strict=True):
            is_dead = reply[0] in ("crashed", "lost")
            if is_dead and attempt.number < ATTEMPTS:
                # in a group nobody knows which of them it was: that attempt does not count
                number = attempt.number + (len(group) == 1)
                self.waiting.appendleft(replace(attempt, number=number, is_alone=True))
                continue
            outcome = outcome_of(attempt.job, reply, attempt.number)
            if outcome.failure is None:
                self.pace.learn(attempt.job, outcome.seconds)
            yield outcome

    def explained(self, error: Exception) -> tuple[str, str]:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return "lost", "The worker died while it worked on it."
        self.check_alive()
        return "error", f"The worker could not start it: {type(error).__name__}: {error}"[:500]

    def check_alive(self) -> None:
        if self.crew.client.status not in ("running", "connecting"):
            raise ClusterError(
                f"The Dask scheduler at {self.crew.address} has gone. Start it and go on."
            )
