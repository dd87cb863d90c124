# SPDX-License-Identifier: MIT
"""Points carried from one specimen to another, over one map or over a chain of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.errors import SettingsError
from gplandmark.matching.confidence import confidence, expected_square, mismatch
from gplandmark.matching.deformation import Deformation
from gplandmark.matching.distortion import plausibility
from gplandmark.matching.points import Sampled
from gplandmark.matching.snapping import snapped
from gplandmark.matching.threads import single_threaded

__all__ = [
    "COMPARED",
    "LEAST",
    "Carried",
    "Step",
    "carry_along",
    "checked_points",
    "follow",
    "stayed",
]

COMPARED = 1000  # points of the source whose form is compared
FACED = 4  # normals around a point, of 250, against which a folded map faces
LEAST = 0.5  # confidence below which a landmark counts as missing


@dataclass(frozen=True, eq=False)
class Carried:
    """Points on the target, and how far they can be trusted.

    Attributes
    ----------
    points : (m, 3) on the target's triangles, in units and pose of its file
    confidence : (m,) from 0 to 1: the chance to be within 0.1 sqrt(area) of the right place, times
        the certainty of the pose and the plausibility of the distortion
    variance : (m,) expected squared error, in squared units of the target's file
    loop : (m,) how far the way there and back ends from its start, in units of the source's file
    detour : (m,) how far another way ends from this one, in units of the target's file; 0 where
        there is no other
    stretch : (m,) largest factor by which lengths on the surface grow or shrink
    """

    points: FloatArray
    confidence: FloatArray
    variance: FloatArray
    loop: FloatArray
    detour: FloatArray
    stretch: FloatArray

    @property
    def error(self) -> FloatArray:
        """Expected distance (m,) from the right place, sqrt(pi/4 variance), in the target's units.

        The error is taken as Gaussian in two directions, of expected square `variance`.
        """
        return np.asarray(np.sqrt(np.pi / 4 * self.variance))

    @property
    def radius(self) -> FloatArray:
        """Radius (m,) that holds the right place with a probability of 90 %, likewise.

        P(|e|^2 <= r^2) = 1 - exp(-r^2 / variance) is 0.9 at r^2 = ln(10) variance.
        """
        return np.asarray(np.sqrt(np.log(10) * self.variance))

    def missing(self, least: float = LEAST) -> BoolArray:
        """Tell which points are too uncertain to count, (m,)."""
        return np.asarray(self.confidence < least)

    def kept(self, least: float = LEAST) -> FloatArray:
        """The points (m, 3), NaN where they are missing."""
        return np.where(self.missing(least)[:, None], np.nan, self.points)


@dataclass(frozen=True, eq=False)
class Step:
    """One map of a chain, there and back; both end on a surface."""

    source: Sampled
    target: Sampled
    forward: Deformation
    backward: Deformation

    def reversed(self) -> "Step":
        """The same step from target to source."""
        return Step(self.target, self.source, self.backward, self.forward)


@single_threaded
def carry_along(
    chain: Sequence[Step],
    points: npt.ArrayLike,
    certainty: float,
    rotation: FloatArray,
    other: Sequence[Step] = (),
) -> Carried:
    """Carry points (m, 3) of the first specimen's file along a chain of maps.

    Parameters
    ----------
    other : another chain to the same specimen, which should end in the same places
    certainty : that the pose is right, from 0 to 1
    rotation : (3, 3) of the pose of the first specimen on the last

    Raises
    ------
    SettingsError
        The points are not finite numbers of shape (m, 3).
    """
    first, last = chain[0].source, chain[-1].target
    asked = snapped(first, first.in_unit(checked_points(points)))
    few, fine = first.levels[-1].part(0, COMPARED), last.levels[-1]
    ways = follow(chain, asked)
    variance, jacobians = _spread(chain, ways)
    back = follow([each.reversed() for each in reversed(chain)], ways[-1])[-1]
    loop = np.linalg.norm(back - asked, axis=1)
    form = mismatch(few, follow(chain, few.positions)[-1], rotation, fine, asked)
    detour = np.linalg.norm(follow(other, asked)[-1] - ways[-1], axis=1) if other else 0 * loop
    square = expected_square(loop, detour, form, variance)
    likely, stretch = plausibility(
        jacobians,
        _normals(first, asked)[:, 0],
        _normals(last, ways[-1]),
        np.linalg.det(rotation) < 0,
    )
    return Carried(
        last.in_file(ways[-1]),
        certainty * likely * confidence(square),
        square * last.size**2,
        loop * first.size,
        detour * last.size,
        stretch,
    )


def stayed(points: npt.ArrayLike) -> Carried:
    """Points of a specimen as carried to itself: where they are, and certain."""
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


def follow(chain: Sequence[Step], points: FloatArray) -> list[FloatArray]:
    """Where points lie on every specimen of a chain, the first included."""
    ways = [points]
    for step in chain:
        ways.append(snapped(step.target, step.forward.at(ways[-1])))
    return ways


def _spread(chain: Sequence[Step], ways: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Posterior variance (m,), summed, and Jacobians (m, 3, 3), multiplied, of a whole chain."""
    variance = np.zeros(len(ways[0]))
    jacobians = np.broadcast_to(np.eye(3), (len(ways[0]), 3, 3))
    for step, points in zip(chain, ways, strict=False):
        variance = variance + step.forward.variance(points)
        jacobians = step.forward.jacobian(points) @ jacobians
    return variance, jacobians


def _normals(specimen: Sampled, points: FloatArray) -> FloatArray:
    """Unit normals (m, k, 3) of the surface around points, the nearest first.

    They are blunt enough that a crest has one.
    """
    blunt = specimen.levels[1]
    return np.asarray(blunt.normals[cKDTree(blunt.positions).query(points, FACED)[1]])
