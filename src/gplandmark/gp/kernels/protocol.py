# SPDX-License-Identifier: MIT
"""What a kernel must answer, and kernels given as a matrix or by an object."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gplandmark.errors import KernelError
from gplandmark.numerics.arrays import FloatArray, IndexArray


class Kernel(Protocol):
    """A symmetric positive semidefinite matrix over n points, never formed as a whole.

    Selection asks for `size`, `diagonal` and `columns` only. `block` serves engines that
    work on parts of the surface. Some kernels offer more:

    - ``between(points, others)``, the covariance of points that need not be vertices, where the
      kernel has a formula in space
    - ``noise_floor``, where its entries are less accurate than rounding: see `noise_floor`
    - ``engine``, how its entries are computed, for the record
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


def noise_floor(kernel: Kernel) -> float:
    """Fraction of the largest entry below which a variance is an error of the kernel's entries."""
    return float(getattr(kernel, "noise_floor", ROUNDING_FLOOR))


@dataclass(frozen=True, eq=False)
class PartKernel:
    """The rows and columns of a kernel that belong to some of its points."""

    whole: Kernel
    points: IndexArray  # (k,) those that are kept, each once

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


SAMPLE = 64  # points whose block is checked
ROUNDING = 1e-6  # of the largest variance: also single precision passes


@dataclass(frozen=True, eq=False)
class MatrixKernel:
    """A covariance given as a whole; use `as_kernel` to have it checked."""

    matrix: FloatArray  # (n, n) symmetric and positive semidefinite

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.matrix)

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return self.matrix.diagonal().copy()

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.matrix[:, indices]

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.matrix[np.ix_(rows, columns)]


@dataclass(frozen=True, eq=False)
class SuppliedKernel:
    """An object of the user's with a size, a diagonal and columns, each answer checked."""

    source: Any  # has `size`, `diagonal()` of shape (n,), `columns(indices)` of shape (n, m)
    size: int

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return _checked(self.source.diagonal(), (self.size,), "diagonal").copy()

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return _checked(self.source.columns(indices), (self.size, len(indices)), "columns")

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.columns(columns)[rows]


def as_kernel(thing: Any, size: int | None = None) -> Kernel:
    """Make a kernel of a matrix, or of an object with `size`, `diagonal()` and `columns(indices)`.

    A matrix is checked as a whole for its shape, its numbers and its symmetry. Whether it is
    positive semidefinite is tried on a block of 64 points, spread evenly; what escapes that
    is refused during selection, as soon as a variance becomes negative.

    Parameters
    ----------
    thing : (n, n) array, sparse or dense, or such an object
    size : how many points it must have, where that is known

    Raises
    ------
    KernelError
        It is not square, not of that size, not finite, not symmetric or not positive
        semidefinite.
    """
    kernel: Kernel
    if hasattr(thing, "columns") and hasattr(thing, "diagonal") and hasattr(thing, "size"):
        kernel = SuppliedKernel(thing, thing.size)
    else:
        kernel = MatrixKernel(_checked_matrix(thing))
    if size is not None and kernel.size != size:
        raise KernelError(f"The kernel has {kernel.size:,} points, but {size:,} are expected.")
    _check_sample(kernel)
    return kernel


def _checked(answer: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    array = np.asarray(answer, dtype=np.float64)
    if array.shape != shape:
        raise KernelError(
            f"The kernel's {what} should have shape {shape}, but has shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise KernelError(f"The kernel's {what} contains NaN or infinite numbers.")
    return array


def _checked_matrix(thing: Any) -> FloatArray:
    dense = thing.toarray() if hasattr(thing, "toarray") else thing
    try:
        matrix = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError):
        raise KernelError(
            "A kernel is a square matrix of numbers, or an object with a size, a diagonal and "
            f"columns; got {type(thing).__name__}."
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise KernelError(f"A kernel must be a square matrix, got shape {matrix.shape}.")
    matrix = _checked(matrix, matrix.shape, "matrix")
    _check_symmetric(matrix, np.arange(len(matrix)))
    return matrix


def _check_symmetric(block: FloatArray, points: IndexArray) -> None:
    gap = np.abs(block - block.T)
    if gap.max() > ROUNDING * np.abs(block).max():
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise KernelError(
            f"The kernel is not symmetric: points {points[i]} and {points[j]} have covariance "
            f"{block[i, j]:g} one way and {block[j, i]:g} the other."
        )


def _check_sample(kernel: Kernel) -> None:
    """Try on some points what holds for a covariance on all."""
    diagonal = kernel.diagonal()
    if diagonal.min() < -ROUNDING * np.abs(diagonal).max():
        raise KernelError(
            f"The kernel is not positive semidefinite: point {diagonal.argmin()} has variance "
            f"{diagonal.min():g}."
        )
    sample = np.unique(np.linspace(0, kernel.size - 1, min(SAMPLE, kernel.size)).astype(np.int64))
    block = kernel.columns(sample)[sample]
    largest = float(diagonal.max())
    if not np.allclose(np.diag(block), diagonal[sample], rtol=ROUNDING, atol=ROUNDING * largest):
        raise KernelError("The kernel's diagonal differs from the diagonal of its columns.")
    _check_symmetric(block, sample)
    smallest = float(np.linalg.eigvalsh(block)[0])
    if smallest < -ROUNDING * len(sample) * largest:
        raise KernelError(
            f"The kernel is not positive semidefinite: a block of {len(sample)} points has the "
            f"eigenvalue {smallest:g}. Add its size to the diagonal, or use another kernel."
        )
