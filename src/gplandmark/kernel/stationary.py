# SPDX-License-Identifier: MIT
"""What kernels share that depend only on how far two points are apart."""

from abc import ABC, abstractmethod

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["StationaryKernel"]


class StationaryKernel(ABC):
    """K(x, y) of |x - y| alone, with K(x, x) = 1.

    Attributes
    ----------
    points : (n, d)
    """

    points: FloatArray

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

    @abstractmethod
    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
