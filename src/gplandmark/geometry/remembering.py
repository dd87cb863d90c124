# SPDX-License-Identifier: MIT
"""Quantities of a surface that are asked for again and again, computed once."""

from collections.abc import Callable
from functools import wraps
from weakref import WeakKeyDictionary

from gplandmark.arrays import FloatArray
from gplandmark.surface import Surface

__all__ = ["remembered"]


def remembered(quantity: Callable[[Surface], FloatArray]) -> Callable[[Surface], FloatArray]:
    """Remember the array for as long as the surface lives; a surface never changes."""
    known: WeakKeyDictionary[Surface, FloatArray] = WeakKeyDictionary()

    @wraps(quantity)
    def recall(surface: Surface) -> FloatArray:
        if surface not in known:
            array = quantity(surface)
            array.setflags(write=False)
            known[surface] = array
        return known[surface]

    return recall
