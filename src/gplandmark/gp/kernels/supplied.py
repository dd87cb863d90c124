# SPDX-License-Identifier: MIT
"""Kernels of the user's own: a matrix, dense or sparse, or an object."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gplandmark.errors import KernelError
from gplandmark.gp.kernels.foreign import (
    GuardedKernel,
    answered,
    function_kernel,
    is_operator,
    operator_kernel,
)
from gplandmark.gp.kernels.matrices import MatrixKernel, SparseKernel
from gplandmark.gp.kernels.protocol import Kernel, rounding_floor
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import numbers, whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

SAMPLE = 64  # points whose block is checked
ROUNDING = 1e-6  # of the largest variance: also single precision passes


@dataclass(frozen=True, eq=False)
class SuppliedKernel:
    """An object of the user's with a size, a diagonal and columns, each answer checked."""

    source: Any  # has `size`, `diagonal()` of shape (n,), `columns(indices)` of shape (n, m)
    size: int

    __repr__ = short_repr

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return _checked(answered(self.source.diagonal), (self.size,), "diagonal").copy()

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        answer = answered(self.source.columns, indices)
        return _checked(answer, (self.size, len(indices)), "columns")

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.columns(columns)[rows]


def as_kernel(thing: Any, size: int | None = None) -> Kernel:
    """Make a kernel of a matrix, an operator, a function with points, or an object.

    A matrix is checked as a whole for its shape, its numbers and its symmetry. Whether it is
    positive semidefinite is tried on a block of 64 points, spread evenly; what escapes that
    is refused during selection, as soon as a variance becomes negative.

    Parameters
    ----------
    thing : one of

        - (n, n) array, sparse or dense; a sparse one stays sparse
        - a linear operator of SciPy or linear_operator
        - a pair of a covariance function and its points: a function from points (a, ...) and
          (b, ...) to a matrix (a, b), or a kernel of scikit-learn, GPyTorch or GeometricKernels
        - an object with `size`, `diagonal()` and `columns(indices)`
    size : how many points it must have, where that is known

    Raises
    ------
    KernelError
        It is not square, not of that size, not finite, not symmetric or not positive
        semidefinite.
    """
    kernel = _made(thing)
    if size is not None and kernel.size != whole_number(size, "The expected size"):
        raise KernelError(f"The kernel has {kernel.size:,} points, but {size:,} are expected.")
    _check_sample(kernel)
    return kernel


def _made(thing: Any) -> Kernel:
    """Kernel of a thing, of which only the form is checked."""
    kernel: Kernel
    if is_kernel(thing):
        kernel = SuppliedKernel(thing, whole_number(thing.size, "The kernel's size", KernelError))
        if kernel.size < 1:
            raise KernelError(f"A kernel needs at least one point, got {kernel.size}.")
    elif isinstance(thing, Surface):
        raise KernelError("A surface is no kernel. Give gplandmark.covariance(surface).")
    elif scipy.sparse.issparse(thing):
        kernel = SparseKernel(_checked_sparse(thing), rounding_floor(thing.dtype))
    elif isinstance(thing, tuple) and len(thing) == 2 and np.ndim(thing[0]) == 0:
        kernel = function_kernel(*thing)
    elif is_operator(thing):
        kernel = operator_kernel(thing)
    elif callable(thing) and not isinstance(thing, type):
        raise KernelError("A covariance function needs its points: give (function, points).")
    else:
        matrix = _checked_matrix(thing)
        kind = np.asarray(thing).dtype if hasattr(thing, "__array__") else matrix.dtype
        kernel = MatrixKernel(matrix, rounding_floor(kind))
    return kernel


def is_kernel(thing: Any) -> bool:
    """Whether a thing answers what a `Kernel` is asked for during selection."""
    answers = all(callable(getattr(thing, name, None)) for name in ("columns", "diagonal"))
    return answers and hasattr(thing, "size") and not isinstance(thing, type)


def kernel_of(thing: Any) -> Kernel:
    """Return a `Kernel` as it is, and make one of anything else that `as_kernel` takes.

    Of one that is not ours, the form of its diagonal and of a column is checked.
    """
    if not is_kernel(thing):
        return as_kernel(thing)
    if not _is_ours(thing):
        answers = _made(thing)
        answers.diagonal()
        answers.columns(np.zeros(1, dtype=np.int64))
    return unchecked_kernel(thing)


def unchecked_kernel(thing: Any) -> Kernel:
    """The same without trying whether it is a covariance: for one of a family that was tried."""
    if not is_kernel(thing):
        return _made(thing)
    kernel: Kernel = thing if _is_ours(thing) else GuardedKernel(thing)
    return kernel


def _is_ours(kernel: Kernel) -> bool:
    return type(kernel).__module__.startswith("gplandmark.")


def _checked(answer: Any, shape: tuple[int, ...], what: str) -> FloatArray:
    array = numbers(answer, f"The kernel's {what}", KernelError)
    if array.shape != shape:
        raise KernelError(
            f"The kernel's {what} should have shape {shape}, but has shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise KernelError(f"The kernel's {what} contains NaN or infinite numbers.")
    return array


def _checked_matrix(thing: Any) -> FloatArray:
    what = (
        "A kernel is a square matrix of numbers, or an object with a size, a diagonal and "
        "columns. Its entries"
    )
    matrix = numbers(thing, what, KernelError)
    _check_square(matrix.shape)
    matrix = _checked(matrix, matrix.shape, "matrix")
    _check_symmetric(matrix, np.arange(len(matrix)))
    return matrix


def _checked_sparse(thing: Any) -> "scipy.sparse.csc_array":
    """The matrix by columns, without ever making it dense."""
    _check_square(thing.shape)
    matrix = scipy.sparse.csc_array(thing)
    entries = numbers(matrix.data, "The entries of a sparse kernel", KernelError)
    if not np.isfinite(entries).all():
        raise KernelError("The kernel's matrix contains NaN or infinite numbers.")
    matrix = matrix.astype(np.float64)
    gap = abs(matrix - matrix.T)
    if gap.nnz and gap.max() > ROUNDING * abs(matrix).max():
        i, j = (int(each) for each in np.unravel_index(gap.argmax(), gap.shape))
        raise _not_symmetric(i, j, matrix[i, j], matrix[j, i])
    return matrix


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise KernelError(f"A kernel must be a square matrix, got shape {shape}.")


def _not_symmetric(i: int, j: int, one: float, other: float) -> KernelError:
    return KernelError(
        f"The kernel is not symmetric: points {i} and {j} have covariance {one:g} one way and "
        f"{other:g} the other."
    )


def _check_symmetric(block: FloatArray, points: IndexArray) -> None:
    gap = np.abs(block - block.T)
    if gap.max() > ROUNDING * np.abs(block).max():
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise _not_symmetric(points[i], points[j], block[i, j], block[j, i])


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
        hint = " Leave WhiteKernel out, and give its level as noise."
        raise KernelError(
            "The kernel's diagonal differs from the diagonal of its columns."
            + hint * ("WhiteKernel" in repr(getattr(kernel, "function", "")))
        )
    _check_symmetric(block, sample)
    smallest = float(np.linalg.eigvalsh(block)[0])
    if smallest < -ROUNDING * len(sample) * largest:
        raise KernelError(
            f"The kernel is not positive semidefinite: a block of {len(sample)} points has the "
            f"eigenvalue {smallest:g}. Add its size to the diagonal, or use another kernel."
        )
