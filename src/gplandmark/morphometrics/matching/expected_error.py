# SPDX-License-Identifier: MIT
"""Estimates of a carried position, their expected error, and the plausibility of a map.

Each position is estimated several times. Their spread, the inverse consistency error and the relief
give the expected error. Stretching and fold-overs, which growth and evolution do not produce, make
a map implausible.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.matching.deformation import Composition, carried_normals
from gplandmark.morphometrics.matching.patches import register_patches, relief
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import perpendicular_vectors

BOUND = 3.0  # stretch above which a map is implausible
FOLDED = -0.5  # cosine; at crests and cusps normals differ by up to a right angle
NEAR = 0.1  # error, in units of size, below which a point counts as correct
# Fitted to teeth, skulls, jaws and heel bones: coefficients of the squares, and the least error.
SPREAD, LOOP, DISPLACEMENT, LEAST_ERROR = 5.0, 6.0, 0.25, 0.0065
RELIEF, FLAT = 0.05, 0.02  # typical relief; relief of a noisy plane
RADII = (0.03, 0.06)  # of the patches, in units of size
BLUR = 0.01  # inverse consistency error, in units of size, below which estimates weigh the same
FARTHEST = 0.1  # largest correction of a map by its inverse
NEWTON = 2  # steps that invert the backward map


def stretches(jacobians: FloatArray, normals: FloatArray) -> FloatArray:
    """Largest factor by which a map stretches or shrinks lengths on the surface, (m,), at least 1.

    max(s_1, 1 / s_2), with s_1 >= s_2 the singular values of the differential on the tangent plane,
    as in bounded-distortion maps. It is infinite where the plane collapses.

    Parameters
    ----------
    jacobians : (m, 3, 3) of the map in space
    normals : (m, 3) unit normals of the source
    """
    basis = perpendicular_vectors(normals)
    values = np.linalg.svd(jacobians @ np.swapaxes(basis, 1, 2), compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(values[:, 0], 1 / values[:, 1]))


def plausibility(
    jacobians: FloatArray, normals: FloatArray, target_normals: FloatArray, reflects: bool
) -> tuple[FloatArray, FloatArray]:
    """Plausibility of the distortion, (m,) from 0 to 1, and the stretch, (m,).

    min(1, 3 / stretch), or 0 if the map folds over: the carried normal is more than 120 degrees
    from all normals of the target around the point.

    Parameters
    ----------
    target_normals : (m, k, 3) unit normals of the target around the carried points; on a thin bone
        those of both its sides
    reflects : whether the map exchanges left and right
    """
    stretch = stretches(jacobians, normals)
    carried = carried_normals(jacobians, normals) * (-1.0 if reflects else 1.0)
    faces = (np.einsum("ij,ikj->ik", carried, target_normals) > FOLDED).any(axis=1)
    return np.where(faces, np.minimum(1.0, BOUND / stretch), 0.0), stretch


def expected_square(
    spread: FloatArray, loop: FloatArray, relief: FloatArray, displacement: float
) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the squared size.

        E|e|^2 = (5 s^2 + 6 l^2 + d^2 / 4 + 0.0065^2) sqrt(0.05 / (h + 0.02))

    Parameters
    ----------
    spread : (m,) s, the standard deviation of several estimates of the position
    loop : (m,) l, the inverse consistency error: distance of the point carried back from its start
    relief : (m,) h, how much the surface determines the position; a point slides on a flat part
    displacement : d, root mean square displacement between the specimens beyond their pose
    """
    squares = SPREAD * spread**2 + LOOP * loop**2 + DISPLACEMENT * displacement**2
    return np.asarray((squares + LEAST_ERROR**2) * np.sqrt(RELIEF / (relief + FLAT)))


def confidence(square: FloatArray) -> FloatArray:
    """Probability that the error is below 0.1 of the size, (m,).

        1 - exp(-0.1^2 / E|e|^2)

    The error is Gaussian in the tangent plane, so that |e| has a Rayleigh distribution.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Positions of points on the target, in normalised coordinates.

    Attributes
    ----------
    places : (m, 3) on the target's triangles, the weighted mean of the estimates y_k
    spread : (m,) s, their standard deviation sqrt(sum_k w_k |y_k - y|^2)
    loop : (m,) l, the inverse consistency error sqrt(sum_k w_k l_k^2)
    relief : (m,) h, the smaller of both specimens
    """

    places: FloatArray
    spread: FloatArray
    loop: FloatArray
    relief: FloatArray


def estimate_positions(
    source: SampledSurface,
    target: SampledSurface,
    maps: Sequence[tuple[Composition, Composition]],
    points: FloatArray,
) -> Estimates:
    """Estimate positions by every map and its inverse, and by patches of two sizes.

    The estimate y_k has the weight w_k proportional to 1 / (l_k^2 + 0.01^2), with l_k its inverse
    consistency error: the distance from the point to y_k carried back. So each point selects its
    own level of detail. Where the small patch slides, it does not return, and the smooth map or
    the larger patch dominates.

    Parameters
    ----------
    maps : from source to target and back, the most reliable first
    points : (m, 3) on the source's triangles, in its normalised coordinates
    """
    found = [_halfway(there, back, points) for there, back in maps]
    start = nearest_on_surface(target, _mean(found)[0])
    there, back = maps[0]
    for radius in RADII:
        place = nearest_on_surface(
            target, register_patches(source, target, there, points, start, radius)
        )
        returned = register_patches(target, source, back, place, points, radius)
        loop = np.linalg.norm(nearest_on_surface(source, returned) - points, axis=1)
        found.append((place, loop))
    middle, weights = _mean(found)
    squares = [((place - middle) ** 2).sum(axis=1) for place, _ in found]
    places = nearest_on_surface(target, middle)
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
    """Midpoint of f(x) and g^-1(x), with f the forward and g the backward map; and their distance.

    The inverse is computed by Newton's method, from f(x).
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
    """Weighted mean (m, 3) of the estimates, and their weights (k, m)."""
    weights = np.array([1 / (loop**2 + BLUR**2) for _, loop in found])
    weights /= weights.sum(axis=0)
    return np.einsum("km,kmi->mi", weights, np.array([place for place, _ in found])), weights
