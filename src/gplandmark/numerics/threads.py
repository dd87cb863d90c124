# SPDX-License-Identifier: MIT
"""Threads over loops that release the interpreter lock."""

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["PROCESSORS", "chunks", "in_background", "share", "single_threaded"]

# Asked once: the answer takes longer than many calls here. The variable is for workers that share
# a machine.
PROCESSORS = int(os.environ.get("GPLANDMARK_THREADS") or os.cpu_count() or 1)

Item = TypeVar("Item")


@lru_cache(maxsize=4)
def pool(threads: int) -> ThreadPoolExecutor:
    """One pool per size, kept: starting threads costs more than most calls here."""
    return ThreadPoolExecutor(threads)


def share(
    work: Callable[[Item], object], items: Sequence[Item], threads: int | None = None
) -> None:
    """Call ``work`` on every item; each thread takes every t-th one, the caller's the first."""
    threads = min(threads or PROCESSORS, len(items))

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
    """Slices that cut ``range(size)`` into pieces of at most ``length``."""
    return [slice(start, min(start + length, size)) for start in range(0, size, length)]


def in_background(work: Callable[[], Item]) -> Callable[[], Item]:
    """Start the work on another thread; calling the result waits for it."""
    return pool(2).submit(work).result


Given = ParamSpec("Given")
Found = TypeVar("Found")


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The same function with one thread for linear algebra, so that it gives the same anywhere."""

    @functools.wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with _controller().limit(limits=1):
            return function(*args, **kwargs)

    return limited


@functools.cache
def _controller() -> "ThreadpoolController":
    """The libraries of linear algebra, looked up once in a process."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
