# SPDX-License-Identifier: MIT
"""Several estimates of where a point belongs, weighed by how well each finds its way back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.matching.deformation import Composition
from gplandmark.morphometrics.matching.patches import register_patches, relief
from gplandmark.morphometrics.matching.points import Sampled, snapped
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Estimates", "estimated"]

RADII = (0.03, 0.06)  # of the patches, in units of size
BLUR = 0.01  # loops far below this, in units of size, tell nothing
FARTHEST = 0.1  # that a map moves a point by what the way back tells
NEWTON = 2  # steps that invert the map back


@dataclass(frozen=True, eq=False)
class Estimates:
    """Where points belong on the target, in coordinates of unit size.

    Attributes
    ----------
    places : (m, 3) on the target's triangles: the mean of the estimates by their weights
    spread : (m,) root of the mean squared distance of the estimates from it
    loop : (m,) how far the ways there and back end from their start, the root mean square
    relief : (m,) how much the form holds the point in place, the smaller of both specimens
    """

    places: FloatArray
    spread: FloatArray
    loop: FloatArray
    relief: FloatArray


def estimated(
    source: Sampled,
    target: Sampled,
    maps: Sequence[tuple[Composition, Composition]],
    points: FloatArray,
) -> Estimates:
    """Estimate places by every map there and back, and by patches of two sizes around each point.

    An estimate y_k whose way back ends at a distance l_k from the start has the weight
    1 / (l_k^2 + 0.01^2). How far to sharpen is so decided by each point itself: where the small
    patch slides, it does not find back, and the smooth map or the larger patch counts.

    Parameters
    ----------
    maps : from source to target and back, the most trusted first
    points : (m, 3) on the source's triangles, in its coordinates of unit size
    """
    found = [_halfway(there, back, points) for there, back in maps]
    start = snapped(target, _mean(found)[0])
    there, back = maps[0]
    for radius in RADII:
        place = snapped(target, register_patches(source, target, there, points, start, radius))
        returned = register_patches(target, source, back, place, points, radius)
        loop = np.linalg.norm(snapped(source, returned) - points, axis=1)
        found.append((place, loop))
    middle, weights = _mean(found)
    squares = [((place - middle) ** 2).sum(axis=1) for place, _ in found]
    places = snapped(target, middle)
    held = [relief(source, points, RADII[0]), relief(target, places, RADII[0])]
    return Estimates(
        places,
        np.sqrt(np.einsum("km,km->m", weights, np.array(squares))),
        np.sqrt(np.einsum("km,km->m", weights, np.array([loop**2 for _, loop in found]))),
        np.min(held, axis=0),
    )


def _halfway(
    there: Composition, back: Composition, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Halfway between f(x) and g^-1(x), with f the map there and g the map back; and their gap.

    The inverse is found by Newton's method, from f(x).
    """
    carried = there.at(points)
    inverse = carried
    for _ in range(NEWTON):
        returned, jacobians = back.with_jacobian(inverse)
        inverse = inverse - np.linalg.solve(jacobians, (returned - points)[..., None])[..., 0]
    apart = inverse - carried
    lengths = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), np.finfo(float).tiny)
    return carried + apart * np.minimum(1.0, FARTHEST / lengths) / 2, lengths[:, 0]


def _mean(found: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Mean (m, 3) of places by the weights (k, m) that their loops give them."""
    weights = np.array([1 / (loop**2 + BLUR**2) for _, loop in found])
    weights /= weights.sum(axis=0)
    return np.einsum("km,kmi->mi", weights, np.array([place for place, _ in found])), weights
