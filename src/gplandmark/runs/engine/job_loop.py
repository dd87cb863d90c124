# SPDX-License-Identifier: MIT
"""Jobs go out in groups and outcomes come back; what died is tried again, alone."""

import pickle
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gplandmark.runs.engine.child import Reply, answer
from gplandmark.runs.engine.jobs import Job, Outcome, StopRequest
from gplandmark.runs.engine.sent_files import call_with_files, with_contents
from gplandmark.runs.engine.workers import Workers

ATTEMPTS = 3  # for jobs whose process or worker died
GROUP_SECONDS = 0.5  # that a group of small jobs should take: a hundred times the engine's work
GROUP_JOBS = 50
AHEAD = 2  # groups per worker that are sent out: one at work, one waiting
LOOK = 0.2  # seconds between looks at whether to stop
CAPACITY_AGE = 2.0  # seconds for which we trust what we know of the workers


@dataclass(frozen=True)
class Attempt:
    """A job, how often it was started, and whether it now has all memory to itself."""

    job: Job
    number: int = 1
    is_alone: bool = False


@dataclass
class Pace:
    """What jobs of each size took so far; sizes are powers of two of memory."""

    seconds: dict[int, float] = field(default_factory=dict)

    def learn(self, job: Job, seconds: float) -> None:
        """Note what a job took; the last ones count most."""
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
    workers: Workers | None,
    *,
    timeout: float | None = None,
    stop: StopRequest | None = None,
    send: bool = False,
) -> Generator[Outcome, None, None]:
    """Yield the outcome of every job as it comes, in any order.

    Nothing that a job does ends the run. One whose process or worker died is tried again, twice
    at most and alone; one that took longer than `timeout` seconds is ended. Without workers, jobs
    run in this process, and one that crashes or hangs takes everything with it.
    A run that is asked to stop sends out nothing more and gives up what is at work. With `send`
    every argument is a `FileTask`, and the contents of its files travel with it.

    Raises
    ------
    ClusterError
        The scheduler has gone.
    """
    stop = StopRequest() if stop is None else stop
    if workers is None:
        return _in_process(jobs, function, stop)
    return _Run(function, workers, timeout, stop, send).outcomes(jobs)


def _in_process(
    jobs: Iterable[Job], function: Callable[[Any], Any], stop: StopRequest
) -> Generator[Outcome, None, None]:
    for job in jobs:
        if stop:
            return
        yield _outcome(job, answer(pickle.dumps(function), pickle.dumps(job.argument)))


def _outcome(job: Job, reply: Reply, attempts: int = 1) -> Outcome:
    kind, content, seconds, notes = reply
    if kind == "value":
        return Outcome(job.key, pickle.loads(content), "", "", seconds, attempts, notes)
    return Outcome(job.key, None, kind, content, seconds, attempts, notes)


class _Run:
    """The state of one run: what waits, what is at work, and what has come back."""

    def __init__(
        self,
        function: Callable[[Any], Any],
        workers: Workers,
        timeout: float | None,
        stop: StopRequest,
        send: bool,
    ) -> None:
        self.function = _pickled(partial(call_with_files, function) if send else function)
        self.workers, self.timeout, self.stop, self.send_files = workers, timeout, stop, send
        self.pace = Pace()
        self.waiting: deque[Attempt] = deque()
        self.at_work: dict[Any, list[Attempt]] = {}
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.slots, self.memory, self.asked = 0, 0, float("-inf")

    def outcomes(self, jobs: Iterable[Job]) -> Generator[Outcome, None, None]:
        self.waiting.extend(map(Attempt, jobs))
        try:
            while (self.waiting or self.at_work) and not self.stop:
                self.send()
                try:
                    future = self.finished.get(timeout=LOOK)
                except queue.Empty:
                    self.workers.check_alive()
                    continue
                yield from self.received(future)
        finally:
            if self.at_work:
                self.workers.cancel(list(self.at_work))

    def send(self) -> None:
        """Keep every worker busy, without sending out more than that takes."""
        if time.monotonic() - self.asked > CAPACITY_AGE:
            self.slots, self.memory = self.workers.capacity()
            self.submit_stalled()
            self.asked = time.monotonic()
        while self.waiting and len(self.at_work) < AHEAD * self.slots:
            self.submit(self.next_group())

    def submit_stalled(self) -> None:
        for future in self.workers.stalled(self.at_work) if self.slots else ():
            self.workers.cancel([future])
            self.submit(self.at_work.pop(future))

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
        if self.memory:  # a job that is larger than every worker has it alone
            needed = self.memory if group[0].is_alone else min(needed, self.memory)
        arguments = [each.job.argument for each in group]
        if self.send_files:
            arguments = list(map(with_contents, arguments))
        pickled = list(map(pickle.dumps, arguments))
        future = self.workers.submit(self.function, pickled, self.timeout, needed)
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
            replies = [(*self.workers.explain(error), 0.0, ())] * len(group)
        for attempt, reply in zip(group, replies, strict=True):
            is_dead = reply[0] in ("crashed", "lost")
            if is_dead and attempt.number < ATTEMPTS:
                # in a group nobody knows which of them it was: that attempt does not count
                number = attempt.number + (len(group) == 1)
                self.waiting.appendleft(replace(attempt, number=number, is_alone=True))
                continue
            outcome = _outcome(attempt.job, reply, attempt.number)
            if outcome.is_done:
                self.pace.learn(attempt.job, outcome.seconds)
            yield outcome


def _pickled(function: Callable[[Any], Any]) -> bytes:
    """Return a function as bytes; with cloudpickle, which Dask brings, also one of a script."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(function)
    return bytes(cloudpickle.dumps(function))
