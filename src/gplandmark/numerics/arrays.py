# SPDX-License-Identifier: MIT
"""The three array types of the package, and a check of vertex numbers."""

from typing import TypeAlias

import numpy as np

from gplandmark.numerics import array_types as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def number_outside(numbers: IndexArray, count: int) -> int | None:
    """Return a number that is not one of 0 to count - 1, or None if there is none."""
    # As unsigned numbers the negative ones are the largest: one pass over millions, not two.
    if numbers.size == 0 or int(numbers.view(np.uint64).max()) < count:
        return None
    return int(numbers.max() if numbers.max() >= count else numbers.min())
