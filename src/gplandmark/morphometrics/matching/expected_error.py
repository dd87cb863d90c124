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
# Fitted to teeth, skulls, jaws and heel bones: coefficients of the squares, and a power.
SPREAD, LOOP, DISPLACEMENT, SLIDING = 2.0, 5.5, 0.2, 2 / 3
RELIEF, FLAT = 0.05, 0.02  # typical relief; relief of a noisy plane
FINEST = 0.005  # spacing of vertices, in units of size, below which nothing is more certain
RADII = (0.02, 0.045)  # of the patches, in units of size
AROUND = 0.03  # radius in which the relief is measured
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
    spread: FloatArray, loop: FloatArray, relief: FloatArray, displacement: float, spacing: float
) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the squared size.

        E|e|^2 = (2 s^2 + 5.5 l^2 + d^2 / 5 + g^2) (0.05 / (h + 0.02))^(2/3)

    Parameters
    ----------
    spread : (m,) s, the standard deviation of several estimates of the position
    loop : (m,) l, the inverse consistency error: distance of the point carried back from its start
    relief : (m,) h, how much the surface determines the position; a point slides on a flat part
    displacement : d, root mean square displacement between the specimens beyond their pose
    spacing : g, typical distance of neighbouring vertices of the coarser mesh; at least 0.005
    """
    squares = SPREAD * spread**2 + LOOP * loop**2 + DISPLACEMENT * displacement**2
    least = max(spacing, FINEST) ** 2
    return np.asarray((squares + least) * (RELIEF / (relief + FLAT)) ** SLIDING)


def mean_error(variance: FloatArray) -> FloatArray:
    """Expected error E|e| = sqrt(pi / 4 v) of the expected squared error v.

    The error e is Gaussian in the tangent plane, so that |e| has a Rayleigh distribution.
    """
    return np.asarray(np.sqrt(np.pi / 4 * variance))


def radius_90(variance: FloatArray) -> FloatArray:
    """Radius r = sqrt(v ln 10) with P(|e| < r) = 0.9, of the expected squared error v."""
    return np.asarray(np.sqrt(np.log(10) * variance))


def confidence(square: FloatArray) -> FloatArray:
    """Probability that the error is below 0.1 of the size, (m,).

        1 - exp(-0.1^2 / E|e|^2)

    The error is Gaussian in the tangent plane, so that |e| has a Rayleigh distribution.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Several estimates of the positions of m points on the target, in normalised coordinates.

    Attributes
    ----------
    each : (k, m, 3) the estimates y_k: by every chain of maps, which end near the target's
        triangles, then by patches of every radius, which end on them
    loops : (k, m) l_k, their inverse consistency errors: the distance of the point from where y_k
        is carried back
    places : (m, 3) on the target's triangles, the weighted mean y of the estimates
    relief : (m,) h, the smaller of both specimens
    """

    each: FloatArray
    loops: FloatArray
    places: FloatArray
    relief: FloatArray

    @property
    def weights(self) -> FloatArray:
        """Weights w_k of the estimates, (k, m), proportional to 1 / (l_k^2 + 0.01^2)."""
        return estimate_weights(self.loops)

    @property
    def spread(self) -> FloatArray:
        """Standard deviation s of the estimates, (m,): sqrt(sum_k w_k |y_k - y|^2)."""
        middle = np.einsum("km,kmi->mi", self.weights, self.each)
        squares = ((self.each - middle) ** 2).sum(axis=2)
        return np.asarray(np.sqrt((self.weights * squares).sum(axis=0)))

    @property
    def loop(self) -> FloatArray:
        """Inverse consistency error l, (m,): sqrt(sum_k w_k l_k^2)."""
        return np.asarray(np.sqrt((self.weights * self.loops**2).sum(axis=0)))


def estimate_weights(loops: FloatArray) -> FloatArray:
    """Weights of estimates with inverse consistency errors l_k, (k, m), summing to 1 over k.

        w_k proportional to 1 / (l_k^2 + 0.01^2)

    So each point selects its own level of detail. Where the small patch slides, it does not
    return, and the smooth map or the larger patch dominates.
    """
    weights = 1 / (loops**2 + BLUR**2)
    return np.asarray(weights / weights.sum(axis=0))


def estimate_positions(
    source: SampledSurface,
    target: SampledSurface,
    maps: Sequence[tuple[Composition, Composition]],
    points: FloatArray,
    radii: Sequence[float] = RADII,
) -> Estimates:
    """Estimate positions by every map and its inverse, and by patches of several sizes.

    Parameters
    ----------
    maps : from source to target and back, the most reliable first
    points : (m, 3) on the source's triangles, in its normalised coordinates
    radii : of the patches, in units of size
    """
    found = [_halfway(there, back, points) for there, back in maps]
    start = nearest_on_surface(target, _mean(found))
    there, back = maps[0]
    for radius in radii:
        place = nearest_on_surface(
            target, register_patches(source, target, there, points, start, radius)
        )
        returned = register_patches(target, source, back, place, points, radius)
        loop = np.linalg.norm(nearest_on_surface(source, returned) - points, axis=1)
        found.append((place, loop))
    places = nearest_on_surface(target, _mean(found))
    held = [relief(source, points, AROUND), relief(target, places, AROUND)]
    each, loops = (np.array(values) for values in zip(*found, strict=True))
    return Estimates(each, loops, places, np.min(held, axis=0))


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


def _mean(found: Sequence[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Weighted mean (m, 3) of positions with their inverse consistency errors."""
    each, loops = (np.array(values) for values in zip(*found, strict=True))
    return np.asarray(np.einsum("km,kmi->mi", estimate_weights(loops), each))
