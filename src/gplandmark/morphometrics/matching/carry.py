# SPDX-License-Identifier: MIT
"""Transfer of points from one specimen to another, by one map or by chains of maps."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.carried_points import Carried, CarriedEstimates
from gplandmark.morphometrics.matching.deformation import Composition, Deformation
from gplandmark.morphometrics.matching.expected_error import (
    RADII,
    estimate_positions,
    expected_square,
    plausibility,
)
from gplandmark.morphometrics.matching.fragments.fragment_map import on_left_out, presence
from gplandmark.morphometrics.matching.fragments.pieces import same_piece
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

FACED = 4  # normals of the target, of 500, with which a carried normal is compared
OFF = 0.003  # distance from the surface, in units of size, above which an offset is kept


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
    others : if one of both is in pieces, routes from or to its other pieces
    """

    start: SampledSurface
    end: SampledSurface
    chains: tuple[MapChain, ...]
    certainty: float
    mirrored: bool
    others: "tuple[Route, ...]" = field(default=(), metadata={"later": True})

    @property
    def pieces(self) -> tuple[SampledSurface, ...]:
        """The pieces of the last specimen; only the specimen if it is in one."""
        found = {id(each.end.surface): each.end for each in (self, *self.others)}
        return tuple(found.values())

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
            return Carried.exact(checked_points(points))
        if self.others:
            return self._over_pieces(checked_points(points), on_surface)
        return self.estimate(points, on_surface=on_surface).combined()

    def _over_pieces(self, points: FloatArray, on_surface: bool) -> Carried:
        """Each point from the piece that it lies on, to the piece where its error is smallest."""
        routes = [replace(self, others=()), *self.others]
        found = [each.carry(points, on_surface=on_surface) for each in routes]
        off = np.array([_distance_off(each.start, points) for each in routes])
        costs = np.array([each.variance for each in found])
        costs[np.array([each.missing() for each in found])] += costs.max()
        costs[np.array([each.absent for each in found])] = np.inf
        costs[off > off.min(axis=0)] = np.inf
        lost = np.isinf(costs).all(axis=0)  # on no piece: the first says so
        rows = np.where(lost, off.argmin(axis=0), costs.argmin(axis=0))
        return Carried.chosen(found, rows)

    @single_threaded
    def estimate(
        self,
        points: npt.ArrayLike,
        *,
        radii: Sequence[float] = RADII,
        on_surface: bool = False,
    ) -> CarriedEstimates:
        """Several estimates of where points (m, 3) lie on the last specimen; as of `carry`.

        Patches of each of the `radii`, in units of size, give an estimate.
        """
        first, last = self.start, self.end
        given = first.in_unit(checked_points(points))
        asked = nearest_on_surface(first, given)
        maps = [(each.there, each.back) for each in self.chains]
        found, there = estimate_positions(first, last, maps, asked, radii), maps[0][0]
        jacobians = there.with_jacobian(asked)[1]
        off = np.linalg.norm(given - asked, axis=1, keepdims=True) > OFF
        kept = np.zeros_like(given) if on_surface else np.where(off, given - asked, 0.0)
        likely, stretch = plausibility(
            jacobians, _normals(first, asked)[:, 0], _normals(last, found.places), there.reflects
        )
        spacing = max(first.spacing, last.spacing)
        square = expected_square(
            found.spread, found.loop, found.relief, there.displacement, spacing
        )
        absent = np.zeros(len(given), dtype=np.bool_)
        if last.is_fragment:
            absent, present = presence(last, found.each[0], square)
            likely = likely * present
        if last.surface.left_out is not None:
            absent = absent | on_left_out(last, found.each[0])
            likely = np.where(absent, 0.0, likely)
        return CarriedEstimates(
            found,
            np.einsum("mij,mj->mi", jacobians, kept),
            jacobians * last.size / first.size,
            square,
            self.certainty * likely,
            stretch,
            absent,
            (first.size, last.size),
            last.centre,
        )

    def onto(self, surface: Surface) -> "Route":
        """The same route, ending on a finer mesh of the last specimen."""
        if self.end.scan is None:
            return replace(self, end=self.end.with_surface(surface))
        end = self.end.with_surface(same_piece(surface, self.end)).of_scan(surface)
        return replace(self, end=end, others=tuple(each.onto(surface) for each in self.others))


def _distance_off(specimen: SampledSurface, points: FloatArray) -> FloatArray:
    given = specimen.in_unit(points)
    apart = np.linalg.norm(nearest_on_surface(specimen, given) - given, axis=1)
    return np.asarray(apart * specimen.size)
