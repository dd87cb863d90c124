# SPDX-License-Identifier: MIT
"""Point-to-plane iterative closest points (ICP), with scale."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.morphometrics.matching.points import Points
from gplandmark.morphometrics.matching.pose import Pose
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Residual", "rotations_by", "similarity"]

STEPS, STILL = 30, 1e-5  # maximal number of iterations; step at which they stop
POINTS = 2000  # of each surface
FACING = 0.3  # cosine of the angle between normals, below which points do not correspond
RIDGE = 1e-5  # relative to the mean eigenvalue: regularises undetermined directions
TOLERANCE = 3.0  # times the median: distance at which the weight is one half
BEST, ALL = 0.8, 0.99  # fractions of the area over which residuals are measured


@dataclass(frozen=True)
class Residual:
    """Distances between two surfaces along their normals, in units of the target's size.

    Attributes
    ----------
    best : root mean square over the 80 % of both areas that agree best
    whole : over 99 % of them
    """

    best: float
    whole: float


def similarity(source: Points, target: Points, pose: Pose) -> tuple[Pose, Residual]:
    """Refine a pose and its scale by point-to-plane ICP; return it with the residual.

    An iteration pairs every point x of either surface with the nearest point y of the other, with
    normal n there, and rotates (omega), translates (tau) and scales (sigma) the source to minimise

        sum w (n (y - x - omega x x - tau - sigma x))^2.

    Surfaces may slide along each other. Weights are areas times 1 / (1 + (d / (3 median d))^2),
    with d the distance along the normal, and 0 where normals disagree. Reflections are kept.
    """
    one, two = source.part(0, POINTS), target.part(0, POINTS)
    tree = cKDTree(two.positions)
    for _ in range(STEPS):
        moved, normals = pose.at(one.positions), one.normals @ pose.rotation
        places, across, gaps, weights = _paired((moved, normals), one, two, tree)
        rows = np.column_stack(
            [np.cross(places, across), across, np.einsum("ij,ij->i", places, across)]
        )
        trust = weights / (1 + (gaps / (TOLERANCE * np.median(np.abs(gaps)) + RIDGE)) ** 2)
        system = rows.T @ (trust[:, None] * rows)
        system[np.diag_indices(7)] += RIDGE * np.trace(system) / 7 + np.finfo(float).eps
        step = np.linalg.solve(system, rows.T @ (trust * gaps))
        turn = rotations_by(step[None, :3])[0].T
        pose = pose.then(Pose(turn, step[3:6], float(np.exp(step[6]))))
        if np.abs(step).max() < STILL:
            break
    return pose, Residual(_left(gaps, weights, BEST), _left(gaps, weights, ALL))


def rotations_by(turns: FloatArray) -> FloatArray:
    """Rotation matrices (m, 3, 3) for rotation vectors (m, 3), axes times angles a.

    Rodrigues' formula: I + sin a K + (1 - cos a) K^2, with K the cross product with the unit axis.
    """
    angles = np.linalg.norm(turns, axis=1)
    x, y, z = (turns / np.maximum(angles, np.finfo(float).tiny)[:, None]).T
    zero = np.zeros(len(turns))
    rows = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    cross = np.moveaxis(rows, 2, 0)
    sine, rest = np.sin(angles)[:, None, None], (1 - np.cos(angles))[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + rest * (cross @ cross))


def _paired(
    moved: tuple[FloatArray, FloatArray], source: Points, target: Points, tree: cKDTree
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Points of the source, normals, distances to the target and weights, from both sides."""
    points, normals = moved
    forth = tree.query(points)[1]
    back = cKDTree(points).query(target.positions)[1]
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
