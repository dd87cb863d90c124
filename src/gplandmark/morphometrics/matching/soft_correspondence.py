# SPDX-License-Identifier: MIT
"""Which points of two surfaces belong together, softly, by position, normal and form."""

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.morphometrics.matching.points import FeatureWeights, OrientedPoints
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["soft_correspondence", "tree_of"]

NEAREST = 12  # points of the other surface, by position, among which a point belongs


def tree_of(positions: FloatArray) -> cKDTree:
    """A tree of points (m, 3) that are spread evenly: it need not be balanced."""
    return cKDTree(positions, balanced_tree=False, compact_nodes=False)


def soft_correspondence(
    source: OrientedPoints, target: OrientedPoints, width: float, by: FeatureWeights, tree: cKDTree
) -> tuple[FloatArray, FloatArray]:
    """Where each point of the source belongs on the target, (m, 3), and with what weight, (m,).

    With d_ij the distance of features and a_i, b_j the areas, half of

        P_ij = a_i e_ij b_j / sum_j e_ij b_j  +  b_j e_ij a_i / sum_i e_ij a_i,
        e_ij = exp(-d_ij^2 / (2 width^2)):

    every point of the source asks where it belongs, and every point of the target asks who comes.
    Each asks among the 12 nearest in position. The goal of i is the mean of the target under P_i,
    its weight the sum of P_i.

    Parameters
    ----------
    source : points that have moved, with their normals
    by : what features are made of
    tree : of the target's positions
    """
    going, there = _shares(source, target, tree, width, by)
    coming, here = _shares(target, source, tree_of(source.positions), width, by)
    count, asked = len(source.positions), here.ravel()
    weights = going.sum(axis=1) + np.bincount(asked, coming.ravel(), count)
    goals = np.empty((count, 3))
    for axis, column in enumerate(np.ascontiguousarray(target.positions.T)):
        goals[:, axis] = np.einsum("ij,ij->i", going, column[there])
        goals[:, axis] += np.bincount(asked, (coming * column[:, None]).ravel(), count)
    return goals / weights[:, None], weights / 2


def _shares(
    asking: OrientedPoints, asked: OrientedPoints, tree: cKDTree, width: float, by: FeatureWeights
) -> tuple[FloatArray, IndexArray]:
    """Shares (m, k) of the nearest points, with the sum of each row its area, and their numbers."""
    near = tree.query(asking.positions, np.arange(1, min(NEAREST, len(asked.positions)) + 1))[1]
    here = asking.features(asking.positions, asking.normals, by)
    there = asked.features(asked.positions, asked.normals, by)
    squares = np.zeros(near.shape)
    for own, other in zip(here.T, np.ascontiguousarray(there.T), strict=True):
        squares += (own[:, None] - other[near]) ** 2
    # The nearest of each row counts 1, so that no sum is lost to underflow.
    shares = np.exp((squares.min(axis=1, keepdims=True) - squares) / (2 * width**2))
    shares *= asked.weights[near]
    return shares * (asking.weights / shares.sum(axis=1))[:, None], near
