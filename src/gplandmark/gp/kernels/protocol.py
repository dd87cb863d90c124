# SPDX-License-Identifier: MIT
"""What a covariance must answer."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Kernel", "PartKernel"]


class Kernel(Protocol):
    """A symmetric positive semidefinite matrix over n points, never formed as a whole.

    Selection asks for `size`, `diagonal` and `columns` only. `block` serves engines that
    work on parts of the surface. Kernels that have a formula in space also offer
    ``between(points, others)``, the covariance of points that need not be vertices.
    """

    @property
    def size(self) -> int:
        """Number of points n."""
        ...

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,), a fresh array."""
        ...

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        ...

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        ...


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
