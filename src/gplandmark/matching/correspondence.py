# SPDX-License-Identifier: MIT
"""Which points of two surfaces belong together, softly, by position, normal and form."""

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.matching.points import Points
from gplandmark.matching.rigid import closest

__all__ = ["soft_goals"]


def soft_goals(
    source: Points, features: FloatArray, target: Points, width: float
) -> tuple[FloatArray, FloatArray]:
    """Where each point of the source belongs on the target, (m, 3), and with what weight, (m,).

    With d_ij the distance of features and a_i, b_j the areas, half of

        P_ij = a_i e_ij b_j / sum_j e_ij b_j  +  b_j e_ij a_i / sum_i e_ij a_i,
        e_ij = exp(-d_ij^2 / (2 width^2)):

    every point of the source asks where it belongs, and every point of the target asks who comes.
    The goal of i is the mean of the target under P_i, its weight the sum of P_i.
    """
    table = closest(features, target.features(target.positions, target.normals))
    # The nearest of each row and column counts 1, so that no sum is lost to underflow.
    going = np.exp((table.min(axis=1, keepdims=True) - table) / (2 * width**2)) * target.weights
    going *= (source.weights / going.sum(axis=1))[:, None]
    coming = np.exp((table.min(axis=0) - table) / (2 * width**2)) * source.weights[:, None]
    coming *= target.weights / coming.sum(axis=0)
    shares = (going + coming) / 2
    weights = shares.sum(axis=1)
    return shares @ target.positions / weights[:, None], weights
