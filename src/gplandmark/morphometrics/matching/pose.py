# SPDX-License-Identifier: MIT
"""Poses: turning, reflecting, scaling and moving one surface onto another."""

from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.matching.points import Points
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import kabsch_rotations

__all__ = ["Pose", "closest", "refined"]


@dataclass(frozen=True, eq=False)
class Pose:
    """x -> c x Q + s, with Q orthogonal and c positive; a reflection if det Q = -1.

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
        """Whether left becomes right."""
        return bool(np.linalg.det(self.rotation) < 0)

    def at(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) in the new pose."""
        return np.asarray(self.scale * points @ self.rotation + self.shift)

    def inverse(self) -> "Pose":
        """The pose that undoes this one."""
        scale = 1 / self.scale
        return Pose(self.rotation.T, -scale * self.shift @ self.rotation.T, scale)

    def then(self, other: "Pose") -> "Pose":
        """Return this pose followed by the other."""
        scale = self.scale * other.scale
        return Pose(self.rotation @ other.rotation, other.at(self.shift), scale)

    def angle_to(self, other: "Pose") -> float:
        """Angle between two poses in radians; pi where only one of them reflects."""
        between = self.rotation.T @ other.rotation
        if np.linalg.det(between) < 0:
            return float(np.pi)
        return float(np.arccos(np.clip((np.trace(between) - 1) / 2, -1.0, 1.0)))


def closest(features: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances |a - b|^2 of features, (..., a, b), never below 0.

    They are one product, (a, |a|^2, 1) (-2 b, 1, |b|^2).
    """
    ones = np.ones((*features.shape[:-1], 1))
    squares = np.einsum("...ij,...ij->...i", features, features)[..., None]
    rest = np.einsum("ij,ij->i", others, others)
    columns = np.column_stack([-2 * others, np.ones(len(others)), rest])
    table = np.concatenate([features, squares, ones], axis=-1) @ columns.T
    return np.asarray(np.maximum(table, 0.0, out=table))


def refined(
    source: Points,
    target: Points,
    poses: tuple[FloatArray, FloatArray],
    steps: int,
    survivors: dict[int, int],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Iterative closest points from many poses, in both directions, by position, normal and form.

    Each step pairs every point with the one of the other surface that is nearest in features,
    and finds the best pose for the pairs, weighted by area. Reflections stay reflections.

    Parameters
    ----------
    poses : rotations (c, 3, 3) and shifts (c, 3)
    survivors : how many of the best go on after a step

    Returns
    -------
    rotations, shifts : of the survivors, best first
    costs : (s,) mean squared distance of features over both areas
    """
    rotations, shifts = poses
    signs = np.sign(np.linalg.det(rotations))
    goal = target.features(target.positions, target.normals)
    for step in range(steps + 1):
        turned, normals = source.positions @ rotations + shifts[:, None], source.normals @ rotations
        table = closest(source.features(turned, normals), goal)
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
    return rotations[order], shifts[order], costs[order]


def _fitted(
    source: Points, target: Points, forth: FloatArray, back: FloatArray, signs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Best rotations and shifts for pairs, with the given determinants."""
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
