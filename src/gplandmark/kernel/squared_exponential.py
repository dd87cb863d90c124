# SPDX-License-Identifier: MIT
"""The squared exponential kernel, without weights."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from gplandmark.arrays import FloatArray
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.stationary import StationaryKernel

__all__ = ["SquaredExponentialKernel", "gaussian"]


def gaussian(points: FloatArray, others: FloatArray, eps: float) -> FloatArray:
    """Matrix exp(-|x - y|^2 / eps), shape (a, b), without differences of large squares."""
    squares = cdist(points, others, "sqeuclidean")
    squares *= -1 / eps
    entries: FloatArray = np.exp(squares, out=squares)
    return entries


@dataclass(frozen=True, eq=False)
class SquaredExponentialKernel(StationaryKernel):
    """K(x, y) = exp(-|x - y|^2 / eps), equation (sq-exp-kernel-submfld).

    Parameters
    ----------
    points : (n, d)
    eps : the t of that equation, in squared units of the points
    """

    points: FloatArray
    eps: float

    def __post_init__(self) -> None:
        """Refuse a bandwidth that is not positive."""
        check_bandwidth(self.eps)

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        return gaussian(points, others, self.eps)
