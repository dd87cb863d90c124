# SPDX-License-Identifier: MIT
"""Transfer of points from one specimen to another, by one map or by chains of maps."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.deformation import Composition, Deformation
from gplandmark.morphometrics.matching.expected_error import (
    confidence,
    estimate_positions,
    expected_square,
    plausibility,
)
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.threads import single_threaded

FACED = 4  # normals of the target, of 500, with which a carried normal is compared
MIN_CONFIDENCE = 0.5  # confidence below which a landmark counts as missing
OFF = 0.003  # distance from the surface, in units of size, above which an offset is kept


@dataclass(frozen=True, eq=False)
class Carried:
    """Points on the target, with their expected error and confidence.

    Attributes
    ----------
    points : (m, 3) on the target's triangles, or at the offset that they have from the source's, in
        the coordinates of the target's file
    confidence : (m,) from 0 to 1: the probability of an error below 0.1 of the target's size, times
        the certainty of the pose and the plausibility of the distortion
    variance : (m,) v, expected squared error, in squared units of the target's file
    loop : (m,) inverse consistency error: distance of the point carried back from its start, in
        units of the source's file
    spread : (m,) standard deviation of several estimates, in units of the target's file
    stretch : (m,) largest factor by which lengths on the surface grow or shrink
    """

    points: FloatArray
    confidence: FloatArray
    variance: FloatArray
    loop: FloatArray
    spread: FloatArray
    stretch: FloatArray

    @property
    def error(self) -> FloatArray:
        """Expected error E|e| = sqrt(pi / 4 v), (m,), in units of the target's file.

        The error e is Gaussian in the tangent plane, so that |e| has a Rayleigh distribution.
        """
        return np.asarray(np.sqrt(np.pi / 4 * self.variance))

    @property
    def radius(self) -> FloatArray:
        """Radius r = sqrt(v ln 10), (m,), with P(|e| < r) = 0.9; likewise."""
        return np.asarray(np.sqrt(np.log(10) * self.variance))

    def missing(self, least: float = MIN_CONFIDENCE) -> BoolArray:
        """Which points have too little confidence to count, (m,)."""
        return np.asarray(self.confidence < least)

    def kept(self, least: float = MIN_CONFIDENCE) -> FloatArray:
        """The points (m, 3), NaN where they are missing."""
        return np.where(self.missing(least)[:, None], np.nan, self.points)


@dataclass(frozen=True, eq=False)
class PairMap:
    """The maps between two specimens, forward and backward."""

    source: SampledSurface
    target: SampledSurface
    forward: Deformation
    backward: Deformation

    def reversed(self) -> "PairMap":
        """The maps from target to source."""
        return PairMap(self.target, self.source, self.backward, self.forward)


@dataclass(frozen=True, eq=False)
class MapChain:
    """At least one map, from one specimen to another through those between them."""

    steps: tuple[PairMap, ...]

    @property
    def there(self) -> Composition:
        """The map from the first specimen to the last."""
        return Composition(tuple(step.forward for step in self.steps))

    @property
    def back(self) -> Composition:
        """The map from the last specimen to the first."""
        return Composition(tuple(step.backward for step in reversed(self.steps)))


def carried_to_itself(points: npt.ArrayLike) -> Carried:
    """Points of a specimen carried to itself: unchanged, with confidence 1."""
    asked = checked_points(points)
    zeros = np.zeros(len(asked))
    return Carried(asked, zeros + 1, zeros, zeros, zeros, zeros + 1)


def checked_points(points: npt.ArrayLike) -> FloatArray:
    """Points as an array (m, 3) of finite numbers."""
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
        raise SettingsError(
            f"Points to carry must be finite numbers of shape (m, 3), got shape {array.shape}."
        )
    return array


def _normals(specimen: SampledSurface, points: FloatArray) -> FloatArray:
    """Unit normals (m, k, 3) of the surface around points, the nearest first.

    They come from a coarse level, where normals on both sides of a crest are averaged.
    """
    coarse = specimen.levels[1]
    return np.asarray(
        coarse.normals[scipy.spatial.cKDTree(coarse.positions).query(points, FACED)[1]]
    )


@dataclass(frozen=True, eq=False)
class Route:
    """Chains of maps from one specimen to another; it can be pickled.

    Attributes
    ----------
    start, end : the first and the last specimen
    chains : of maps between them, the most reliable first; none from a specimen to itself
    certainty : of the poses of both ends, from 0 to 1
    mirrored : whether one is left and the other right
    """

    start: SampledSurface
    end: SampledSurface
    chains: tuple[MapChain, ...]
    certainty: float
    mirrored: bool

    @property
    def over(self) -> tuple[str, ...]:
        """Names of the specimens between both ends, on the most reliable chain."""
        steps = self.chains[0].steps if self.chains else ()
        return tuple(step.target.name for step in steps[:-1])

    @single_threaded
    def carry(self, points: npt.ArrayLike, *, on_surface: bool = False) -> Carried:
        """Carry points (m, 3) of the first specimen's file to the last.

        The nearest point q of the surface to the point p is carried to y. If p lies off the surface
        by more than 0.003 of the size, its offset is kept, transformed by the Jacobian J:
        y + J (p - q). With `on_surface` all points are projected to the surface.

        Raises
        ------
        SettingsError
            The points are not finite numbers of shape (m, 3).
        """
        if not self.chains:
            return carried_to_itself(points)
        first, last = self.start, self.end
        given = first.in_unit(checked_points(points))
        asked = nearest_on_surface(first, given)
        maps = [(each.there, each.back) for each in self.chains]
        found, there = estimate_positions(first, last, maps, asked), maps[0][0]
        jacobians = there.with_jacobian(asked)[1]
        off = np.linalg.norm(given - asked, axis=1, keepdims=True) > OFF
        offsets = np.einsum("mij,mj->mi", jacobians, np.where(off, given - asked, 0.0))
        places = found.places if on_surface else found.places + offsets
        likely, stretch = plausibility(
            jacobians, _normals(first, asked)[:, 0], _normals(last, found.places), there.reflects
        )
        square = expected_square(found.spread, found.loop, found.relief, there.displacement)
        return Carried(
            last.in_file(places),
            self.certainty * likely * confidence(square),
            square * last.size**2,
            found.loop * first.size,
            found.spread * last.size,
            stretch,
        )

    def onto(self, surface: Surface) -> "Route":
        """The same route, ending on a finer mesh of the last specimen."""
        return replace(self, end=replace(self.end, surface=surface))
