# SPDX-License-Identifier: MIT
"""Threads over loops that release the interpreter lock."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import FloatArray

# Determined once: this takes longer than many calls below. The variable is for several workers on
# one machine.
PROCESSORS = int(os.environ.get("GPLANDMARK_THREADS") or os.cpu_count() or 1)

_limit: ContextVar[int | None] = ContextVar("threads", default=None)

Item = TypeVar("Item")


def thread_count() -> int:
    """Threads to use: those of `limited_threads`, or one for each processor."""
    return _limit.get() or PROCESSORS


@contextmanager
def limited_threads(threads: int | None) -> Iterator[None]:
    """Use at most so many threads inside, also for linear algebra; None changes nothing.

    Raises
    ------
    SettingsError
        It is not a whole number of 1 or more.
    """
    if threads is None:
        yield
        return
    if whole_number(threads, "The number of threads") < 1:
        raise SettingsError(f"The number of threads must be at least 1, got {threads}.")
    token = _limit.set(threads)
    try:
        with _controller().limit(limits=threads):
            yield
    finally:
        _limit.reset(token)


@lru_cache(maxsize=4)
def pool(threads: int) -> ThreadPoolExecutor:
    """One pool per size, reused: starting threads costs more than most calls."""
    return ThreadPoolExecutor(threads)


def run_threaded(
    work: Callable[[Item], object], items: Sequence[Item], threads: int | None = None
) -> None:
    """Call ``work`` on every item; each thread takes every t-th one, the caller's the first."""
    threads = min(threads or thread_count(), len(items))

    def run(start: int) -> None:
        for item in items[start::threads]:
            work(item)

    others = [pool(threads).submit(run, start) for start in range(1, threads)]
    try:
        if items:
            run(0)
    finally:
        for other in others:
            other.result()


def chunks(size: int, length: int) -> list[slice]:
    """Slices that divide ``range(size)`` into pieces of at most ``length``."""
    return [slice(start, min(start + length, size)) for start in range(0, size, length)]


def map_chunks(
    function: Callable[[Any], Any],
    values: npt.NDArray[Any],
    length: int,
    threads: int | None = None,
) -> FloatArray:
    """One number for every row of values (n, ...), from a function of at most `length` rows."""
    out = np.empty(len(values))

    def fill(piece: slice) -> None:
        out[piece] = function(values[piece])

    run_threaded(fill, chunks(len(values), length), threads)
    return out


def in_background(work: Callable[[], Item]) -> Callable[[], Item]:
    """Start the work on another thread; calling the result waits for it."""
    return pool(2).submit(work).result


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def single_threaded(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function with one thread for linear algebra, for the same result on any machine."""

    @wraps(function)
    def limited(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with _controller().limit(limits=1):
            return function(*args, **kwargs)

    return limited


@cache
def _controller() -> Any:
    """The libraries of linear algebra, looked up once in a process."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
