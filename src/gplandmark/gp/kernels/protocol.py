# SPDX-License-Identifier: MIT
"""What a kernel must answer."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr


class Kernel(Protocol):
    """A symmetric positive semidefinite matrix over n points, never formed as a whole.

    Selection asks for `size`, `diagonal` and `columns` only. `block` serves engines that
    work on parts of the surface. Some kernels offer more:

    - ``between(points, others)``, the covariance of points that need not be vertices, where the
      kernel has a formula in space
    - ``noise_floor``, where its entries are less accurate than rounding: see `noise_floor`
    - ``engine``, how its entries are computed, for the record
    - ``columns_together``, where many columns take little longer than one: see `columns_together`
    - ``points``, their positions (n, d), by which ties are broken: see `positions`
    """

    @property
    def size(self) -> int:
        """Number of points n."""

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,), a fresh array."""

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""


ROUNDING_FLOOR = 256 * float(np.finfo(float).eps)
COARSEST_FLOOR = 0.01  # half precision


def noise_floor(kernel: Kernel) -> float:
    """Fraction of the largest entry below which a variance is an error of the kernel's entries."""
    return float(getattr(kernel, "noise_floor", ROUNDING_FLOOR))


def rounding_floor(kind: Any) -> float:
    """Noise floor of entries of a type of NumPy, such as single precision."""
    kind = np.dtype(kind)
    if kind.kind != "f":
        return ROUNDING_FLOOR
    relative = 256 * float(np.finfo(kind).eps)
    return min(max(relative, ROUNDING_FLOOR), COARSEST_FLOOR)


def columns_together(kernel: Kernel) -> bool:
    """Whether many columns of a kernel take little longer than one.

    Selection then asks for covariances of few points first and for all columns in the end, and a
    search that needs columns at once asks for those that will probably follow, too.
    """
    return bool(getattr(kernel, "columns_together", False))


def positions(kernel: Kernel) -> FloatArray | None:
    """Positions (n, d) of the points of a kernel; None if it does not know them."""
    if isinstance(kernel, PartKernel):
        whole = positions(kernel.whole)
        return None if whole is None else whole[kernel.points]
    points = getattr(kernel, "points", None)
    return points if isinstance(points, np.ndarray) and points.ndim == 2 else None


@dataclass(frozen=True, eq=False)
class PartKernel:
    """The rows and columns of a kernel that belong to some of its points."""

    whole: Kernel
    points: IndexArray  # (k,) those that are kept, each once

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points k."""
        return len(self.points)

    @property
    def noise_floor(self) -> float:
        """That of the whole kernel."""
        return noise_floor(self.whole)

    def diagonal(self) -> FloatArray:
        """Variance of every point that is kept, shape (k,)."""
        return np.asarray(self.whole.diagonal()[self.points])

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point that is kept with some of them, shape (k, m)."""
        return self.whole.block(self.points, self.points[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.whole.block(self.points[rows], self.points[columns])
