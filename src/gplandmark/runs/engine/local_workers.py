# SPDX-License-Identifier: MIT
"""Workers on this machine: threads that hand groups of jobs to child processes."""

import os
import threading
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from gplandmark.runs.engine.child import Reply
from gplandmark.runs.engine.child_processes import ChildPool

FRACTION = 0.8  # of the free memory of this machine is for jobs


@dataclass(eq=False)
class Group:
    """Jobs that one thread does one after the other, and the memory that each may need."""

    function: bytes
    arguments: list[bytes]
    timeout: float | None
    memory: int
    future: Future[list[Reply]] = field(default_factory=Future)
    cancelled: threading.Event = field(default_factory=threading.Event)


class LocalWorkers:
    """Threads of this process, each with at most one child process at work.

    Groups start in the order in which they were submitted, as soon as a thread is free and the
    memory of all groups at work stays within `memory` bytes.
    """

    is_local = True
    dashboard = None

    def __init__(self, count: int, memory: int) -> None:
        self._count, self._memory, self._free = count, memory, memory
        self._children = ChildPool()
        self._changed = threading.Condition()
        self._waiting: deque[Group] = deque()
        self._groups: dict[Future[list[Reply]], Group] = {}  # waiting or at work
        self._is_closed = False
        self._threads = 0
        self._idle = 0

    def capacity(self) -> tuple[int, int]:
        """Return how many groups run side by side, and the bytes that they have together."""
        return self._count, self._memory

    def submit(
        self, function: bytes, arguments: list[bytes], timeout: float | None, memory: int
    ) -> Future[list[Reply]]:
        """Queue a group of jobs; the future has a reply for each."""
        group = Group(function, arguments, timeout, min(memory, self._memory))
        with self._changed:
            self._groups[group.future] = group
            self._waiting.append(group)
            self._changed.notify()
            if self._idle < len(self._waiting) and self._threads < self._count:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True).start()
        return group.future

    def cancel(self, futures: Iterable[Future[list[Reply]]]) -> None:
        """Forget groups that wait, and end the children of those at work."""
        with self._changed:
            for future in futures:
                if (group := self._groups.pop(future, None)) is not None:
                    group.cancelled.set()
                    if group in self._waiting:
                        self._waiting.remove(group)
            self._changed.notify_all()

    def stalled(self, futures: Iterable[Future[list[Reply]]]) -> list[Future[list[Reply]]]:  # noqa: ARG002
        """Return groups that must be submitted again: none, since every group gets its thread."""
        return []

    def check_alive(self) -> None:
        """Do nothing: these workers live as long as this process."""

    def explain(self, error: Exception) -> tuple[str, str]:
        """Return the kind and the reason of the failure of a group that has no replies."""
        return "error", f"The worker could not start it: {type(error).__name__}: {error}"[:500]

    def close(self) -> None:
        """End all threads and children, whatever they do."""
        with self._changed:
            self._is_closed = True
            self.cancel(list(self._groups))
        self._children.end()

    def _work(self) -> None:
        while (group := self._next_group()) is not None:
            try:
                limits = (group.timeout, self._memory, group.cancelled)
                replies = [
                    self._children.ask(group.function, argument, *limits)
                    for argument in group.arguments
                ]
            except Exception as error:  # no child could be started
                self._release(group)
                group.future.set_exception(error)
            else:
                self._release(group)
                group.future.set_result(replies)

    def _next_group(self) -> Group | None:
        """Wait for a group that fits into the free memory; None when all is over."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(self._can_go_on)
            self._idle -= 1
            if self._is_closed:
                return None
            group = self._waiting.popleft()
            self._free -= group.memory
            self._changed.notify()  # the next one may fit, too
            return group

    def _can_go_on(self) -> bool:
        fits = bool(self._waiting) and self._waiting[0].memory <= self._free
        return fits or self._is_closed

    def _release(self, group: Group) -> None:
        with self._changed:
            self._free += group.memory
            self._groups.pop(group.future, None)
            self._changed.notify_all()


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory() -> int:
    """Return the bytes on this machine that jobs may use."""
    import psutil

    return int(FRACTION * psutil.virtual_memory().available)
