# SPDX-License-Identifier: MIT
"""A job, how it ended, and a request to stop."""

import signal
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@dataclass(frozen=True)
class Job:
    """One call of the function that a run is about.

    Attributes
    ----------
    key : what the caller knows it by, unique in a run
    argument : what the function is called with; it travels to the worker
    memory : bytes that it may need, 0 if that is not worth counting. Jobs run side by side
        only as far as their sum fits
    """

    key: Hashable
    argument: Any
    memory: int = 0


@dataclass(frozen=True)
class Outcome:
    """How a job ended: with a value, or with a failure.

    Attributes
    ----------
    key : of the job
    value : what the function returned; None after a failure
    kind : of the failure, empty after a success: "refused", the function said why in a
        `GplandmarkError`; "error", it failed in another way; "memory", it needed more than there
        is; "timeout"; "crashed", its process died; "lost", the whole worker died
    reason : of the failure, one sentence
    seconds : that the function took, in its last attempt
    attempts : how often it was started
    notes : what the function warned of
    """

    key: Hashable
    value: Any = None
    kind: str = ""
    reason: str = ""
    seconds: float = 0.0
    attempts: int = 1
    notes: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it has a value."""
        return not self.kind


class StopRequest:
    """Whether somebody has asked to stop; a run then finishes what it is writing."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def ask(self) -> None:
        """Ask to stop soon."""
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set()


@contextmanager
def stopped_by_signals() -> Iterator[StopRequest]:
    """Yield a request that Ctrl-C or the end of a queue's time makes; a second Ctrl-C ends all."""
    stop = StopRequest()
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
