# SPDX-License-Identifier: MIT
"""A specimen as a few points with normals and the local form, at several levels of detail.

Coordinates here are (x - c) / size, with c the centre of the outer surface and size three times
the root mean square distance of the outer surface from it. That is near sqrt(area) for a tooth or
a solid bone, and inner walls do not change it. Results go back through `Sampled.in_file`.
"""

from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["COARSE", "LEVELS", "FeatureWeights", "Levels", "Points", "Sampled", "snapped"]

LEVELS = (150, 500, 1000, 2500, 5000)  # to try poses, to carry the process, to bend, to sharpen


@dataclass(frozen=True)
class FeatureWeights:
    """How much normals and form count beside positions when points are compared.

    Attributes
    ----------
    normal : length of a unit normal beside positions in units of size
    form : the same for a height of 1 over the surroundings
    """

    normal: float
    form: float


COARSE = FeatureWeights(0.15, 1.0)  # opposite sides of a bone are then 0.3 apart


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a surface of unit size.

    Attributes
    ----------
    positions : (m, 3)
    normals : (m, 3) unit normals, outwards
    form : (m, k) height of the surface over its surroundings, at k sizes
    weights : (m,) fraction of the area that each stands for
    """

    positions: FloatArray
    normals: FloatArray
    form: FloatArray
    weights: FloatArray

    def part(self, start: int, stop: int) -> "Points":
        """Some of the points, in their order."""
        chosen = slice(start, stop)
        return Points(
            self.positions[chosen], self.normals[chosen], self.form[chosen], self.weights[chosen]
        )

    def features(
        self, positions: FloatArray, normals: FloatArray, by: FeatureWeights = COARSE
    ) -> FloatArray:
        """What points are compared by, (..., m, 6 + k), with positions and normals that moved."""
        form = np.broadcast_to(self.form, (*positions.shape[:-1], self.form.shape[1]))
        return np.concatenate([positions, by.normal * normals, by.form * form], axis=-1)


Levels: TypeAlias = tuple[Points, ...]


@dataclass(frozen=True, eq=False)
class Sampled:
    """A surface and its points at several levels, in coordinates of unit size.

    Attributes
    ----------
    surface : as given
    centre : (3,) of its outer surface, in units of the file
    size : three times the root mean square distance of the outer surface from the centre, in
        units of the file
    root_area : sqrt(area) of the whole surface, in units of the file
    levels : one `Points` for each of `LEVELS`, of the outer surface
    """

    surface: Surface
    centre: FloatArray
    size: float
    root_area: float
    levels: Levels

    @property
    def name(self) -> str:
        """The specimen's name."""
        return self.surface.name

    def in_unit(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) of the file in coordinates of unit size."""
        return np.asarray((points - self.centre) / self.size)

    def in_file(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) of unit size in coordinates of the file."""
        return np.asarray(points * self.size + self.centre)


# The tree of a surface is built once; it cannot be sent to another process, so it is kept here.
_TREES: WeakKeyDictionary[Sampled, ClosestPoints] = WeakKeyDictionary()


def snapped(target: Sampled, points: FloatArray) -> FloatArray:
    """Nearest points (m, 3) of the surface, all in its coordinates of unit size."""
    if target not in _TREES:
        _TREES[target] = ClosestPoints(target.surface, target.in_unit(target.surface.points))
    return _TREES[target].to(points)[2]
