# SPDX-License-Identifier: MIT
"""Soft correspondence of the points of two surfaces, by position, normal and local form."""

import numpy as np
import scipy

from gplandmark.morphometrics.matching.points import FeatureWeights, OrientedPoints
from gplandmark.numerics.arrays import FloatArray, IndexArray

NEAREST = 12  # candidates on the other surface, by position


def tree_of(positions: FloatArray) -> "scipy.spatial.cKDTree":
    """A tree of evenly spaced points (m, 3), which need not be balanced."""
    return scipy.spatial.cKDTree(positions, balanced_tree=False, compact_nodes=False)


def soft_correspondence(
    source: OrientedPoints,
    target: OrientedPoints,
    width: float,
    by: FeatureWeights,
    tree: "scipy.spatial.cKDTree",
) -> tuple[FloatArray, FloatArray]:
    """Corresponding point (m, 3) on the target of each point of the source, and weight (m,).

    With d_ij the distance between features and a_i, b_j the areas, P_ij is half of

        a_i e_ij b_j / sum_j e_ij b_j  +  b_j e_ij a_i / sum_i e_ij a_i,
        e_ij = exp(-d_ij^2 / (2 width^2)).

    The first term distributes the area of each source point over the target, the second one that
    of each target point over the source. Both use the 12 points nearest in position. The point
    that corresponds to i is the mean of the target with weights P_ij; its weight is sum_j P_ij.

    Parameters
    ----------
    source : transformed points, with their normals
    by : weights of the features
    tree : of the target's positions
    """
    going, there = _distributed(source, target, tree, width, by)
    coming, here = _distributed(target, source, tree_of(source.positions), width, by)
    count, asked = len(source.positions), here.ravel()
    weights = going.sum(axis=1) + np.bincount(asked, coming.ravel(), count)
    goals = np.empty((count, 3))
    for axis, column in enumerate(np.ascontiguousarray(target.positions.T)):
        goals[:, axis] = np.einsum("ij,ij->i", going, column[there])
        goals[:, axis] += np.bincount(asked, (coming * column[:, None]).ravel(), count)
    return goals / weights[:, None], weights / 2


def _distributed(
    asking: OrientedPoints,
    asked: OrientedPoints,
    tree: "scipy.spatial.cKDTree",
    width: float,
    by: FeatureWeights,
) -> tuple[FloatArray, IndexArray]:
    """Area of each point distributed over the nearest points, (m, k), and their indices."""
    near = tree.query(asking.positions, np.arange(1, min(NEAREST, len(asked.positions)) + 1))[1]
    here = asking.features(asking.positions, asking.normals, by)
    there = asked.features(asked.positions, asked.normals, by)
    squares = np.zeros(near.shape)
    for own, other in zip(here.T, np.ascontiguousarray(there.T), strict=True):
        squares += (own[:, None] - other[near]) ** 2
    # The nearest of each row has the factor 1, so that no sum underflows.
    parts = np.exp((squares.min(axis=1, keepdims=True) - squares) / (2 * width**2))
    parts *= asked.weights[near]
    return parts * (asking.weights / parts.sum(axis=1))[:, None], near
