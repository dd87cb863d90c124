# SPDX-License-Identifier: MIT
"""Processes that a worker runs its jobs in, ended when they take too much time or memory."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

from gplandmark.runs.engine.child import Reply, read_frame, write_frame

PATIENCE = 5.0  # seconds that a process has to end once it no longer answers
POLL = 0.1  # seconds between looks at a job's time and memory
THREADS = (
    "GPLANDMARK_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
)  # fmt: skip

GIVEN_UP: Reply = ("crashed", "It was given up.", 0.0, ())
# glibc gives freed memory back at once, and asking for it again costs a tenth of small jobs.
MEMORY = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "134217728"}


class Child:
    """One process that answers requests; killed when a job takes too long or too much."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gplandmark.runs.engine.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for the parent, which then ends its children
        )
        self._requests: queue.SimpleQueue[tuple[bytes, bytes] | None] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        for target in (self._send, self._listen):
            threading.Thread(target=target, daemon=True).start()
        self._is_ready = False

    def ask(
        self,
        function: bytes,
        argument: bytes,
        timeout: float | None = None,
        memory: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> Reply:
        """Have a job done.

        Parameters
        ----------
        function, argument : pickled
        timeout, memory : seconds and bytes after which the process is killed
        cancelled : the process is also killed once this is set
        """
        began = time.monotonic()
        self._requests.put((function, argument))
        while True:
            try:
                reply = self._replies.get(timeout=POLL)
            except queue.Empty:
                if cancelled is not None and cancelled.is_set():
                    self.end()
                    return GIVEN_UP
                if (broken := self._broken_limit(began, timeout, memory)) is not None:
                    self.end()
                    return (*broken, time.monotonic() - began, ())
                continue
            if reply is None:
                return self._died(began)
            if reply[0] != "ready":
                return reply
            self._is_ready, began = True, time.monotonic()  # starting up is not the job's time

    def end(self) -> None:
        """Kill the process and forget it."""
        self._requests.put(None)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was still to be sent has nobody to read it
                stream.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can take another job."""
        return self.process.poll() is None

    def _send(self) -> None:
        """Send requests, however long a process that is stopped lets us wait."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # it died, or was ended and its streams closed
            while (request := self._requests.get()) is not None:
                write_frame(self.process.stdin, request)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        # it was ended, and the stream closed with it; whatever else happens, nobody waits for ever
        with suppress(Exception):
            while (reply := read_frame(self.process.stdout)) is not None:
                self._replies.put(reply)
        self._replies.put(None)

    def _broken_limit(
        self, began: float, timeout: float | None, memory: int | None
    ) -> tuple[str, str] | None:
        if self._is_ready and timeout is not None and time.monotonic() - began > timeout:
            return "timeout", f"It took longer than {timeout:g} s and was ended."
        if memory is not None and self._resident() > memory:
            return "memory", f"It needed more than {memory / 1e9:.2g} GB of memory and was ended."
        return None

    def _resident(self) -> int:
        import psutil

        try:
            return int(psutil.Process(self.process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def _died(self, began: float) -> Reply:
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # it closed its streams, or was stopped, and lives on
            code = -signal.SIGKILL
        self.end()
        how = f"ended with exit code {code}"
        if code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        hint = ", perhaps for lack of memory" if code == -9 else ""
        reason = f"The process that worked on it {how}{hint}."
        return "crashed", reason, time.monotonic() - began, ()


def _environment() -> dict[str, str]:
    """One thread for each job, since jobs run side by side; and the same modules as here."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**MEMORY, **os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": paths}


class ChildPool:
    """Children of this process; those that have nothing to do wait for the next job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()

    def ask(
        self,
        function: bytes,
        argument: bytes,
        timeout: float | None = None,
        memory: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> Reply:
        """Have a job done by a child that has nothing else to do, or by a new one.

        Parameters are as of `Child.ask`.
        """
        with self._lock:
            if cancelled is not None and cancelled.is_set():
                return GIVEN_UP
            while self._idle and not self._idle[-1].is_alive:
                self._idle.pop().end()
            child = self._idle.pop() if self._idle else Child()
            self._busy.add(child)
        try:
            return child.ask(function, argument, timeout, memory, cancelled)
        finally:
            with self._lock:
                if child in self._busy:  # else everything was ended meanwhile
                    self._busy.remove(child)
                    if child.is_alive:
                        self._idle.append(child)

    def end(self) -> None:
        """End all children, whatever they do."""
        with self._lock:
            ended = [*self._idle, *self._busy]
            self._idle.clear()
            self._busy.clear()
        for child in ended:
            child.end()
