# SPDX-License-Identifier: MIT
"""What a selection is: the points picked so far, and all that is needed to go on."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

TIE = 1e-9
"""Variances that differ by less than this fraction of the larger are equal."""

Progress: TypeAlias = Callable[[int, float], None]
"""Called after every pick with their number and the largest variance, a fraction of its start."""

Move: TypeAlias = Callable[[int, Callable[[FloatArray], FloatArray]], FloatArray]
"""From a vertex about to be picked, and the variance as a function of points (m, 3) in space, to
the point (3,) that is picked instead."""


class Stop(StrEnum):
    """Why a selection stopped."""

    COUNT = "count"
    """The number of points asked for was reached."""
    TARGET = "target"
    """The largest variance fell below the target."""
    RANK = "rank"
    """The numerical rank of the kernel was used up: what is left is rounding noise."""
    NOISE = "noise"
    """The largest variance fell to the accuracy of the kernel's entries."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Points in the order in which they were picked, and the state to continue from.

    Attributes
    ----------
    indices : (m,) the points
    variances : (m,) variance of each point just before it was picked
    variance : (n,) variance that is left at every point: the MSPE after m picks
    factor : (m, n) rows L_1 ... L_m of the pivoted Cholesky factor, K ~ L^T L; None from a
        search that never forms it
    initial : largest variance of a candidate before any pick
    floor : variances below this fraction of `initial` are noise
    stopped : why it stopped
    skipped : starting points that were skipped, because the others determine them
    points : (m, 3) where the picks are, if they were moved from their vertices
    """

    indices: IndexArray
    variances: FloatArray
    variance: FloatArray
    factor: FloatArray | None
    initial: float
    floor: float
    stopped: Stop
    skipped: tuple[int, ...] = ()
    points: FloatArray | None = None

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.indices)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """Return the points (m,): what NumPy makes of a selection, and `krige` of its landmarks."""
        return np.array(self.indices, dtype=dtype, copy=True if copy is None else copy)
