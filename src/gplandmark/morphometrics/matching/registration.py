# SPDX-License-Identifier: MIT
"""Registration of two surfaces: poses, and iterative closest points (ICP) in two variants.

`refine_poses` pairs points by features; `refine_similarity` is point to plane, with scale.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.morphometrics.matching.points import OrientedPoints
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import kabsch_rotations, rotation_matrices

STEPS, STILL = 30, 1e-5  # maximal number of iterations; step at which they stop
POINTS = 2000  # of each surface
FACING = 0.3  # cosine of the angle between normals, below which points do not correspond
RIDGE = 1e-5  # relative to the mean eigenvalue: regularises undetermined directions
TOLERANCE, NEGLIGIBLE = 3.0, 1e-5  # times the median, plus: distance at which a weight is halved
BEST, ALL = 0.8, 0.99  # fractions of the area over which residuals are measured


@dataclass(frozen=True, eq=False)
class Pose:
    """A similarity x -> c x Q + s, with Q orthogonal and c positive; a reflection if det Q = -1.

    Attributes
    ----------
    rotation : (3, 3) the matrix Q
    shift : (3,) in units of size
    scale : the factor c
    """

    rotation: FloatArray
    shift: FloatArray
    scale: float = 1.0

    @property
    def reflects(self) -> bool:
        """Whether it exchanges left and right."""
        return bool(np.linalg.det(self.rotation) < 0)

    def at(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) in the new pose."""
        return np.asarray(self.scale * points @ self.rotation + self.shift)

    def inverse(self) -> "Pose":
        """The inverse pose."""
        scale = 1 / self.scale
        return Pose(self.rotation.T, -scale * self.shift @ self.rotation.T, scale)

    def then(self, other: "Pose") -> "Pose":
        """Return this pose followed by the other."""
        scale = self.scale * other.scale
        return Pose(self.rotation @ other.rotation, other.at(self.shift), scale)

    def angle_to(self, other: "Pose") -> float:
        """Angle between two poses in radians; pi if only one of them reflects."""
        between = self.rotation.T @ other.rotation
        if np.linalg.det(between) < 0:
            return float(np.pi)
        return float(np.arccos(np.clip((np.trace(between) - 1) / 2, -1.0, 1.0)))


def squared_distances(features: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances |a - b|^2 between features, (..., a, b), never below 0.

    They are one matrix product, (a, |a|^2, 1) (-2 b, 1, |b|^2).
    """
    ones = np.ones((*features.shape[:-1], 1))
    squares = np.einsum("...ij,...ij->...i", features, features)[..., None]
    rest = np.einsum("ij,ij->i", others, others)
    columns = np.column_stack([-2 * others, np.ones(len(others)), rest])
    table = np.concatenate([features, squares, ones], axis=-1) @ columns.T
    return np.asarray(np.maximum(table, 0.0, out=table))


def refine_poses(
    source: OrientedPoints,
    target: OrientedPoints,
    poses: tuple[FloatArray, FloatArray],
    steps: int,
    survivors: dict[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Refine many poses by ICP in both directions, by position, normal and local form.

    Each step pairs every point with the point of the other surface that is nearest in features,
    and finds the best rigid pose for the pairs, weighted by area. Reflections are kept.

    Parameters
    ----------
    poses : rotations (c, 3, 3) and shifts (c, 3)
    survivors : number of the best poses that are kept after a step

    Returns
    -------
    rotations, shifts : of the survivors, best first: by the mean squared distance of features over
        both areas
    """
    rotations, shifts = poses
    signs = np.sign(np.linalg.det(rotations))
    goal = target.features(target.positions, target.normals)
    for step in range(steps + 1):
        turned, normals = source.positions @ rotations + shifts[:, None], source.normals @ rotations
        table = squared_distances(source.features(turned, normals), goal)
        costs = (table.min(axis=2) @ source.weights + table.min(axis=1) @ target.weights) / 2
        if step == steps:
            break
        if step in survivors:
            best = np.argsort(costs, kind="stable")[: survivors[step]]
            table, signs = table[best], signs[best]
        rotations, shifts = _fitted(
            source, target, table.argmin(axis=2), table.argmin(axis=1), signs
        )
    order = np.argsort(costs, kind="stable")
    return rotations[order], shifts[order]


def _fitted(
    source: OrientedPoints,
    target: OrientedPoints,
    forth: FloatArray,
    back: FloatArray,
    signs: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Best rotations and shifts for pairs of points, with the given determinants."""
    weights = np.concatenate([source.weights, target.weights]) / 2
    count = len(signs)
    here = np.broadcast_to(source.positions, (count, *source.positions.shape))
    there = np.broadcast_to(target.positions, (count, *target.positions.shape))
    ours = np.concatenate([here, source.positions[back]], axis=1)
    theirs = np.concatenate([target.positions[forth], there], axis=1)
    middle, goal = weights @ ours, weights @ theirs
    moments = np.swapaxes((ours - middle[:, None]) * weights[:, None], 1, 2) @ (
        theirs - goal[:, None]
    )
    rotations = kabsch_rotations(moments, signs)
    return rotations, goal - np.einsum("cd,cde->ce", middle, rotations)


@dataclass(frozen=True)
class Residual:
    """Distances between two surfaces along their normals, in units of the target's size.

    Attributes
    ----------
    best : root mean square over the 80 % of both areas that agree best
    overall : over 99 % of them
    """

    best: float
    overall: float


def refine_similarity(
    source: OrientedPoints, target: OrientedPoints, pose: Pose
) -> tuple[Pose, Residual]:
    """Refine a pose and its scale by point-to-plane ICP; return it with the residual.

    An iteration pairs every point x of either surface with the nearest point y of the other, with
    normal n there, and rotates (omega), translates (tau) and scales (sigma) the source to minimise

        sum w (n (y - x - omega x x - tau - sigma x))^2.

    Surfaces may slide along each other. Weights w are areas times `robust_weights`, and 0 where
    normals disagree. Reflections are kept.
    """
    one, two = source.first(POINTS), target.first(POINTS)
    tree = scipy.spatial.cKDTree(two.positions)
    for _ in range(STEPS):
        moved, normals = pose.at(one.positions), one.normals @ pose.rotation
        places, across, gaps, weights = _paired((moved, normals), one, two, tree)
        trust = robust_weights(weights, gaps, np.median(np.abs(gaps), keepdims=True))
        system, goal = normal_equations(places, across, gaps, trust)
        system[np.diag_indices(7)] += RIDGE * np.trace(system) / 7 + np.finfo(float).eps
        step = np.asarray(np.linalg.solve(system, goal), dtype=np.float64)
        turn = rotation_matrices(step[None, :3])[0].T
        pose = pose.then(Pose(turn, step[3:6], float(np.exp(step[6]))))
        if np.abs(step).max() < STILL:
            break
    return pose, Residual(_left(gaps, weights, BEST), _left(gaps, weights, ALL))


def robust_weights(weights: FloatArray, gaps: FloatArray, medians: FloatArray) -> FloatArray:
    """Cauchy weights w / (1 + (d / (3 m))^2) for distances d, with m the median of |d|."""
    return np.asarray(weights / (1 + (gaps / (TOLERANCE * medians + NEGLIGIBLE)) ** 2))


def normal_equations(
    arms: FloatArray, normals: FloatArray, gaps: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Matrix A (..., 7, 7) and right side b (..., 7) of point-to-plane registration.

    A (omega, tau, sigma) = b minimises sum w (d - n (omega x a + tau + sigma a))^2.

    Parameters
    ----------
    arms : (..., k, 3) a, positions relative to the centre of rotation
    normals : (..., k, 3) n of the target
    gaps : (..., k) d, distances to the target along n
    weights : (..., k) w
    """
    across = np.einsum("...ki,...ki->...k", arms, normals)
    rows = np.concatenate([np.cross(arms, normals), normals, across[..., None]], axis=-1)
    columns = np.swapaxes(rows, -1, -2)
    return columns @ (weights[..., None] * rows), (columns @ (weights * gaps)[..., None])[..., 0]


def _paired(
    moved: tuple[FloatArray, FloatArray],
    source: OrientedPoints,
    target: OrientedPoints,
    tree: "scipy.spatial.cKDTree",
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Points of the source, normals, distances to the target and weights, from both sides."""
    points, normals = moved
    forth = tree.query(points)[1]
    back = scipy.spatial.cKDTree(points).query(target.positions)[1]
    agree = np.append(
        np.einsum("ij,ij->i", normals, target.normals[forth]),
        np.einsum("ij,ij->i", normals[back], target.normals),
    )
    places = np.vstack([points, points[back]])
    goals = np.vstack([target.positions[forth], target.positions])
    across = np.vstack([target.normals[forth], normals[back]])
    gaps = np.einsum("ij,ij->i", goals - places, across)
    weights = np.append(source.weights, target.weights) * (agree > FACING)
    return places, across, gaps, np.asarray(weights)


def _left(gaps: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Root mean square of n (y - x) over the fraction of the area that agrees best."""
    order = np.argsort(np.abs(gaps), kind="stable")
    before = np.cumsum(weights[order])
    kept = order[before <= fraction * before[-1]]
    total = weights[kept].sum()
    return float(np.sqrt(weights[kept] @ gaps[kept] ** 2 / total)) if total > 0 else np.inf
