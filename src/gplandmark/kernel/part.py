# SPDX-License-Identifier: MIT
"""A kernel at some of its points."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.kernel.protocol import Kernel

__all__ = ["PartKernel"]


@dataclass(frozen=True, eq=False)
class PartKernel:
    """The rows and columns of a kernel that belong to some of its points.

    Attributes
    ----------
    whole : over n points
    points : (k,) those that are kept, each once
    """

    whole: Kernel
    points: IndexArray

    @property
    def size(self) -> int:
        """Number of points k."""
        return len(self.points)

    def diagonal(self) -> FloatArray:
        """Variance of every point that is kept, shape (k,)."""
        return np.asarray(self.whole.diagonal()[self.points])

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point that is kept with some of them, shape (k, m)."""
        return self.whole.block(self.points, self.points[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.whole.block(self.points[rows], self.points[columns])
