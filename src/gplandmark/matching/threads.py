# SPDX-License-Identifier: MIT
"""One thread for small matrices: several would wait for each other, and round differently."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["single_threaded"]

Given = ParamSpec("Given")
Found = TypeVar("Found")


def single_threaded(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The same function with one thread for linear algebra, so that it gives the same anywhere."""

    @functools.wraps(function)
    def limited(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            return function(*args, **kwargs)

    return limited
