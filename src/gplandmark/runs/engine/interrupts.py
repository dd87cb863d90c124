# SPDX-License-Identifier: MIT
"""A run that is asked to stop finishes what it is writing."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "stopped_by_signals"]

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Stop:
    """Whether somebody has asked to stop."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def ask(self) -> None:
        """Ask to stop soon."""
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set()


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """Yield a `Stop` that Ctrl-C asks, or a queue that ends our time; a second Ctrl-C ends all."""
    stop = Stop()
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
