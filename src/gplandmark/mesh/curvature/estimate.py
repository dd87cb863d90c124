# SPDX-License-Identifier: MIT
"""What every estimator returns, and values at an open rim."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.edges import edges
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.representation import short_repr


@dataclass(frozen=True, eq=False)
class Curvature:
    """Curvature at the vertices of a surface.

    Attributes
    ----------
    gaussian : (n,) kappa, in 1 / length^2; positive on domes and bowls, negative on saddles
    mean : (n,) eta, in 1 / length; positive on a sphere whose triangles face outwards
    """

    gaussian: FloatArray
    mean: FloatArray

    __repr__ = short_repr


def from_neighbours(surface: Surface, values: FloatArray, unknown: BoolArray) -> FloatArray:
    """Give vertices without a value the mean of their neighbours that have one.

    An open rim has no two-sided neighbourhood: formulas for the interior give the angle of the
    cut there, not curvature. A vertex with no such neighbour gets 0.
    """
    ends, _ = edges(surface)
    count = surface.vertex_count

    def over_neighbours(each: FloatArray) -> FloatArray:
        one, other = ends.T
        sums = np.bincount(one, each[other], count) + np.bincount(other, each[one], count)
        return sums.astype(np.float64)

    known_neighbours = over_neighbours((~unknown).astype(float))
    total = over_neighbours(np.where(unknown, 0.0, values))
    means = np.divide(total, known_neighbours, out=np.zeros(count), where=known_neighbours > 0)
    return np.where(unknown, means, values)


def check_radius(radius: float) -> None:
    """Refuse a neighbourhood without extent."""
    if not 0 < radius < np.inf:
        raise SettingsError(
            f"The curvature radius must be a positive fraction of sqrt(area), got {radius}. "
            "Try 0.06."
        )
