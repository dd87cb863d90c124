# SPDX-License-Identifier: MIT
"""Oriented points with the local form of a surface, at several levels of detail.

Normalised coordinates are (x - c) / size, with c the centroid of the outer surface and size three
times its root mean square distance from c. For a tooth or a solid bone size is near sqrt(area);
unlike that, it does not depend on inner walls. `SampledSurface.in_file` restores file coordinates.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

LEVELS = (150, 500, 1000, 2500, 5000)  # points: for poses, for the process, and for its stages


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of normals and local form relative to positions in feature distances.

    Attributes
    ----------
    normal : length of a unit normal in feature space, where positions are in units of size
    form : length of a height of 1 over the surroundings
    """

    normal: float
    form: float


COARSE = FeatureWeights(0.15, 1.0)  # opposite sides of a thin bone are then 0.3 apart


@dataclass(frozen=True, eq=False)
class OrientedPoints:
    """Oriented points of a surface of unit size.

    Attributes
    ----------
    positions : (m, 3)
    normals : (m, 3) unit normals, outwards
    form : (m, k) height of the surface over its surroundings, at k radii
    weights : (m,) fraction of the area that each represents
    """

    positions: FloatArray
    normals: FloatArray
    form: FloatArray
    weights: FloatArray

    def first(self, count: int) -> "OrientedPoints":
        """The first points, at most that many."""
        arrays = (self.positions, self.normals, self.form, self.weights)
        return OrientedPoints(*(each[:count] for each in arrays))

    def turned(self, rotation: FloatArray) -> "OrientedPoints":
        """The points x Q of a turned surface."""
        moved = self.positions @ rotation, self.normals @ rotation
        return OrientedPoints(*moved, self.form, self.weights)

    def features(
        self, positions: FloatArray, normals: FloatArray, by: FeatureWeights = COARSE
    ) -> FloatArray:
        """Feature vectors (..., m, 6 + k) of moved positions and normals, and of the local form."""
        form = np.broadcast_to(self.form, (*positions.shape[:-1], self.form.shape[1]))
        return np.concatenate([positions, by.normal * normals, by.form * form], axis=-1)


Levels: TypeAlias = tuple[OrientedPoints, ...]


@dataclass(frozen=True, eq=False)
class SampledSurface:
    """A surface and its sample points at several levels of detail, in normalised coordinates.

    Attributes
    ----------
    surface : the original
    centre : (3,) centroid of its outer surface, in file units
    size : three times the root mean square distance of the outer surface from the centre, in
        file units
    root_area : sqrt(area) of the entire surface, in file units
    levels : one `OrientedPoints` for each of `LEVELS`, of the outer surface
    share : 1 for a whole specimen; of a fragment the fraction of the whole that is there. Its size
        is that of the whole specimen
    scan : the entire scan, if the surface is one of its pieces
    """

    surface: Surface
    centre: FloatArray
    size: float
    root_area: float
    levels: Levels
    share: float = 1.0
    scan: Surface | None = field(default=None, metadata={"later": True})

    @property
    def is_fragment(self) -> bool:
        """Whether it is a part of a specimen."""
        return self.share < 1

    @property
    def spacing(self) -> float:
        """Typical distance of neighbouring vertices, sqrt(area / vertices), in units of size."""
        return float(self.root_area / self.size / np.sqrt(self.surface.vertex_count))

    @property
    def name(self) -> str:
        """The specimen's name."""
        return self.surface.name

    def with_share(self, share: float) -> "SampledSurface":
        """The same specimen, as a fragment that is a given fraction of the whole."""
        return replace(self, share=share)

    def with_surface(self, surface: Surface) -> "SampledSurface":
        """The same specimen with a finer or coarser mesh."""
        return replace(self, surface=surface)

    def of_scan(self, scan: Surface) -> "SampledSurface":
        """The same piece, of an entire scan."""
        return replace(self, scan=scan)

    @property
    def entire(self) -> "SampledSurface":
        """The specimen with its entire scan, also if it is in pieces."""
        return self if self.scan is None else replace(self, surface=self.scan, scan=None)

    def in_unit(self, points: FloatArray) -> FloatArray:
        """Normalised coordinates of points (m, 3) in file coordinates."""
        return np.asarray((points - self.centre) / self.size)

    def in_file(self, points: FloatArray) -> FloatArray:
        """File coordinates of points (m, 3) in normalised coordinates."""
        return np.asarray(points * self.size + self.centre)


# The tree of a surface is built once; it cannot be pickled, so it is kept here.
_TREES: WeakKeyDictionary[SampledSurface, ClosestPoints] = WeakKeyDictionary()


def nearest_on_surface(target: SampledSurface, points: FloatArray) -> FloatArray:
    """Nearest points (m, 3) of the surface, all in its normalised coordinates."""
    if target not in _TREES:
        _TREES[target] = ClosestPoints(target.surface, target.in_unit(target.surface.points))
    return _TREES[target].to(points)[2]
