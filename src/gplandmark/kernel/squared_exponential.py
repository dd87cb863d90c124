# SPDX-License-Identifier: MIT
"""The squared exponential kernel, without weights."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.kernel.bandwidth import check_bandwidth

__all__ = ["SquaredExponentialKernel", "gaussian"]


def gaussian(points: FloatArray, others: FloatArray, eps: float) -> FloatArray:
    """Matrix exp(-|x - y|^2 / eps), shape (a, b), without differences of large squares."""
    squares = cdist(points, others, "sqeuclidean")
    squares *= -1 / eps
    entries: FloatArray = np.exp(squares, out=squares)
    return entries


@dataclass(frozen=True, eq=False)
class SquaredExponentialKernel:
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

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    def diagonal(self) -> FloatArray:
        """Return ones, shape (n,)."""
        return np.ones(self.size)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.between(self.points, self.points[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.between(self.points[rows], self.points[columns])

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        return gaussian(points, others, self.eps)
