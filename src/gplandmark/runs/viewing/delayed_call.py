# SPDX-License-Identifier: MIT
"""Work that is done a moment after it was last asked for, in a thread of its own."""

import threading
from collections.abc import Callable
from contextlib import suppress

from gplandmark.errors import GplandmarkError


class DelayedCall:
    """Calls a function some seconds after the last request; what it refuses is not its concern."""

    def __init__(self, work: Callable[[], object], seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._timer: threading.Timer | None = None

    def request(self) -> None:
        """Ask for the call; requests that come sooner than it become one."""
        self.cancel()
        self._timer = threading.Timer(self._seconds, self._call)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Withdraw a request, unless the call has begun."""
        if self._timer is not None:
            self._timer.cancel()

    def _call(self) -> None:
        with suppress(GplandmarkError):
            self._work()
