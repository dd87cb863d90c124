# SPDX-License-Identifier: MIT
"""What a selection is: the points picked so far, and all that is needed to go on."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["Progress", "Selection", "Stop"]

Progress: TypeAlias = Callable[[int, float], None]
"""Called after every pick with the number of picks so far and the largest variance left."""


class Stop(StrEnum):
    """Why a selection stopped."""

    COUNT = "count"
    """The number of points asked for was reached."""
    TARGET = "target"
    """The largest variance fell below the target."""
    RANK = "rank"
    """The numerical rank of the kernel was used up: what is left is rounding noise."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Points in the order in which they were picked, and the state to continue from.

    Attributes
    ----------
    indices : (m,) the points
    variances : (m,) variance of each point just before it was picked
    variance : (n,) variance that is left at every point: the MSPE after m picks
    factor : (m, n) rows L_1 ... L_m of the pivoted Cholesky factor, K ~ L^T L
    initial : largest variance of a candidate before any pick
    stopped : why it stopped
    skipped : starting points that were left out, because the others determine them
    """

    indices: IndexArray
    variances: FloatArray
    variance: FloatArray
    factor: FloatArray
    initial: float
    stopped: Stop
    skipped: tuple[int, ...] = ()
