# SPDX-License-Identifier: MIT
"""One thread that does what browsers ask for, in the order in which they asked."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

__all__ = ["Worker"]

Job = Callable[[], object]


class Worker:
    """Jobs one after the other, off the thread that talks to browsers.

    Parameters
    ----------
    failed : called with what a job raised; the next job is done all the same
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._jobs: deque[tuple[str, Job]] = deque()
        self._is_busy = self._is_ending = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="editing", daemon=True)
        self._thread.start()

    def submit(self, job: Job, replacing: str = "") -> None:
        """Do a job later, in place of a waiting one of the same name if that is the last.

        So a mouse that moves faster than we can follow does not leave us behind.
        """
        with self._changed:
            if self._is_ending:
                return
            if replacing and self._jobs and self._jobs[-1][0] == replacing:
                self._jobs.pop()
            self._jobs.append((replacing, job))
            self._changed.notify_all()

    def later(self, job: Callable[..., object], *, is_told: bool = False) -> Callable[[Any], Any]:
        """A function for viser that does a job in its turn, told the value if it wants to be.

        It is a coroutine, so that viser calls it in the order of events. Values that we set
        ourselves are no events.
        """

        async def called(event: Any) -> None:
            if event.client is not None:
                told = (event.target.value,) if is_told else ()
                self.submit(lambda: job(*told))

        return called

    def wait(self) -> None:
        """Return when nothing is left to do."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs and not self._is_busy)

    def stop(self) -> None:
        """Do what was asked for, and then no more."""
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._jobs or self._is_ending)
                if not self._jobs:
                    return
                _, job = self._jobs.popleft()
                self._is_busy = True
            try:
                job()
            except Exception as error:  # a thread that ends would leave a dead page
                self._failed(error)
