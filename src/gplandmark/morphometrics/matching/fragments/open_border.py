# SPDX-License-Identifier: MIT
"""The open border of a surface, where it may be broken off, and which points lie beyond it."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import scipy

from gplandmark.mesh.edges import boundary_edges
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.numerics.arrays import BoolArray, FloatArray

SPACING = 0.004  # of points along the border, in units of size
ON_BORDER = 0.006  # distance from these points, below which a point is on the border
BEYOND = 0.01  # distance from the border above which a point is certainly not there
FAR = 0.12  # distance above which a point has no counterpart, wherever it is


@dataclass(frozen=True, eq=False)
class _Border:
    """Points (k, 3) along all open borders, in normalised coordinates, and the length of all."""

    points: FloatArray
    length: float


# Computed once for a specimen, and not pickled.
_BORDERS: WeakKeyDictionary[SampledSurface, _Border] = WeakKeyDictionary()


def border_points(specimen: SampledSurface) -> FloatArray:
    """Points (k, 3) along all open borders of a surface, in its normalised coordinates."""
    return _border(specimen).points


def border_length(specimen: SampledSurface) -> float:
    """Length of all open borders of a surface, in units of its size."""
    return _border(specimen).length


def _border(specimen: SampledSurface) -> _Border:
    if specimen not in _BORDERS:
        rim = boundary_edges(specimen.surface)
        first, second = (specimen.in_unit(specimen.surface.points[each]) for each in rim.T)
        lengths = np.linalg.norm(second - first, axis=1)
        parts = np.ceil(lengths / SPACING).astype(np.int64) + 1
        edge = np.repeat(np.arange(len(rim)), parts)
        place = np.arange(len(edge)) - np.repeat(np.cumsum(parts) - parts, parts)
        along = (place / np.maximum(parts[edge] - 1, 1))[:, None]
        points = first[edge] * (1 - along) + second[edge] * along
        _BORDERS[specimen] = _Border(points, float(lengths.sum()))
    return _BORDERS[specimen]


def distance_from_border(specimen: SampledSurface, points: FloatArray) -> FloatArray:
    """Distances (m,) of points from the open border; infinite if the surface is closed."""
    border = border_points(specimen)
    if not len(border):
        return np.full(len(points), np.inf)
    return np.asarray(scipy.spatial.cKDTree(border).query(points)[0])


def outside_border(specimen: SampledSurface, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far points (m, 3) lie outside the open border, (m,), and off the surface, (m,).

    The first is negative, the distance from the border, for those whose closest point is inside.
    """
    closest = nearest_on_surface(specimen, points)
    off = np.linalg.norm(points - closest, axis=1)
    inside = distance_from_border(specimen, closest)
    return np.where(inside < ON_BORDER, off - inside, -inside), off


def is_there(specimen: SampledSurface, points: FloatArray) -> BoolArray:
    """Which points (m, 3) lie where the surface is: not beyond its border, nor far off, (m,)."""
    outside, off = outside_border(specimen, points)
    return np.asarray((outside <= BEYOND) & (off < FAR))
