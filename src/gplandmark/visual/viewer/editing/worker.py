# SPDX-License-Identifier: MIT
"""One thread that carries out the requests of browsers in their order."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

Job = Callable[[], object]
SETTLED = 0.25  # seconds after which the browser has sent all letters: it holds them back by 0.05


class Worker:
    """Jobs one after the other, off the thread that talks to browsers.

    `failed` is called with what a job raised; the next job is still done.
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

        So the work keeps up with a mouse that moves faster than it can be followed.
        """
        with self._changed:
            if self._is_ending:
                return
            if replacing and self._jobs and self._jobs[-1][0] == replacing:
                self._jobs.pop()
            self._jobs.append((replacing, job))
            self._changed.notify_all()

    def later(
        self, job: Callable[..., object], *, with_value: bool = False, with_text: bool = False
    ) -> Callable[[Any], Any]:
        """A callback for viser that queues a job, with the value of the control if `with_value`.

        It is a coroutine, so that viser calls it in the order of events. Values set by the program
        are not events.

        A job that reads a text field (`with_text`) waits for the letters that were typed last: the
        browser sends a key such as Enter at once, but letters a little later.
        """

        async def called(event: Any) -> None:
            if event.client is not None:
                values = (event.target.value,) if with_value else ()
                if with_text:
                    self.submit(lambda: time.sleep(SETTLED))
                self.submit(lambda: job(*values))

        return called

    def wait(self) -> None:
        """Return when all jobs are done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs and not self._is_busy)

    def stop(self) -> None:
        """Finish the waiting jobs, and accept no more."""
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
