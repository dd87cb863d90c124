# SPDX-License-Identifier: MIT
"""What a covariance must answer."""

from typing import Protocol

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["Kernel"]


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
