# SPDX-License-Identifier: MIT
"""Kernels of other libraries: linear operators, and covariance functions with their points.

Nothing is imported for them: what counts are the attributes of the object.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkError, KernelError
from gplandmark.gp.kernels.protocol import ROUNDING_FLOOR, rounding_floor
from gplandmark.numerics.arguments import numbers, whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr, with_reason

OFFERED = ("between", "noise_floor", "engine", "columns_together", "points")
CHUNK = 256  # columns of an operator at a time


@dataclass(frozen=True, eq=False)
class OperatorKernel:
    """K by its products with vectors; every column costs one.

    Parameters
    ----------
    product : from a matrix (n, m) to K times that matrix
    size : n
    """

    product: Callable[[FloatArray], Any]
    size: int
    noise_floor: float = ROUNDING_FLOOR

    __repr__ = short_repr

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,), from all columns, some at a time."""
        values = np.empty(self.size)
        for start in range(0, self.size, CHUNK):
            some = np.arange(start, min(start + CHUNK, self.size))
            values[some] = self.columns(some)[some, np.arange(len(some))]
        return values

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        units = np.zeros((self.size, len(indices)))
        units[indices, np.arange(len(indices))] = 1.0
        return as_numpy(answered(self.product, units), (self.size, len(indices)))

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.columns(columns)[rows]


@dataclass(frozen=True, eq=False)
class FunctionKernel:
    """K(x_i, x_j) of a covariance function and points.

    Parameters
    ----------
    function : from points (a, ...) and (b, ...) to their covariance (a, b)
    points : (n, ...) as the function takes them
    variances : from points (a, ...) to their variance (a,); by default one by one
    noise_floor : that of the numbers which the function returns
    """

    function: Callable[[Any, Any], Any]
    points: Any
    variances: Callable[[Any], Any] | None = None
    noise_floor: float = ROUNDING_FLOOR

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        if self.variances is not None:
            return as_numpy(answered(self.variances, self.points), (self.size,)).copy()
        ones = (self.points[i : i + 1] for i in range(self.size))
        return np.array([self.between(each, each)[0, 0] for each in ones])

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.between(self.points, self.points[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.between(self.points[rows], self.points[columns])

    def between(self, points: Any, others: Any) -> FloatArray:
        """Covariance of any points that the function takes, shape (a, b)."""
        return as_numpy(answered(self.function, points, others), (len(points), len(others)))


@dataclass(frozen=True, eq=False)
class GuardedKernel:
    """A kernel that is not ours, used as it is: what it raises becomes one sentence."""

    source: Any

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points n."""
        return whole_number(self.source.size, "The kernel's size", KernelError)

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return np.asarray(answered(self.source.diagonal))

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return np.asarray(answered(self.source.columns, indices))

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        if not hasattr(self.source, "block"):
            return self.columns(columns)[rows]
        return np.asarray(answered(self.source.block, rows, columns))

    def __getattr__(self, name: str) -> Any:
        """What some kernels offer in addition: see `gplandmark.gp.kernels.Kernel`."""
        if name not in OFFERED:
            raise AttributeError(name)
        found = getattr(self.source, name)
        return partial(answered, found) if callable(found) else found


def operator_kernel(thing: Any) -> OperatorKernel:
    """Kernel of a linear operator of SciPy, or of linear_operator."""
    shape = tuple(thing.shape)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise KernelError(f"A kernel must be a square matrix, got shape {shape}.")
    size = whole_number(shape[0], "The kernel's size", KernelError)
    if hasattr(thing, "matmat"):
        return OperatorKernel(thing.matmat, size, rounding_floor(thing.dtype or float))
    return OperatorKernel(lambda matrix: thing @ _tensor(matrix, thing.dtype), size)


def is_operator(thing: Any) -> bool:
    """Whether a thing multiplies vectors, like a linear operator, and is no array."""
    if isinstance(thing, np.ndarray) or not hasattr(thing, "shape"):
        return False
    return hasattr(thing, "matmat") or hasattr(thing, "to_dense")


def function_kernel(function: Any, points: Any) -> FunctionKernel:
    """Kernel of a covariance function, of the user or of another library, at points (n, ...).

    Its noise floor follows from the precision of an entry.

    Raises
    ------
    KernelError
        It is no covariance function, or the points are no array.
    """
    try:
        array = _plain(points)
    except Exception:  # arrays of other libraries raise what they like
        array = np.array(None)
    if array.ndim == 0 or len(array) == 0 or array.dtype.kind not in "biuf":
        raise KernelError("The points of a kernel must be an array of numbers, one row per point.")
    kernel = _function_kernel(function, array)
    try:
        entry = answered(_plain, answered(kernel.function, array[:1], array[:1]))
    except KernelError as error:
        hint = " It may need points of shape (n, d): give points[:, None]." * (array.ndim == 1)
        raise KernelError(error.reason + hint) from error.__cause__
    return replace(kernel, noise_floor=rounding_floor(entry.dtype))


def _function_kernel(function: Any, array: Any) -> FunctionKernel:
    if hasattr(function, "K") and hasattr(function, "init_params"):  # GeometricKernels
        parameters = function.init_params()
        return FunctionKernel(
            lambda some, others: function.K(parameters, some, others),
            array,
            lambda some: function.K_diag(parameters, some),
        )
    if hasattr(function, "covar_dist"):  # GPyTorch
        kind = next((each.dtype for each in function.parameters()), None)
        return FunctionKernel(
            lambda some, others: function(_tensor(some, kind), _tensor(others, kind)).to_dense(),
            array,
            lambda some: function(_tensor(some, kind), diag=True),
        )
    if not callable(function):
        raise KernelError(f"A covariance function must be called with points, got {function!r}.")
    return FunctionKernel(function, array, getattr(function, "diag", None))  # scikit-learn has it


def answered(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call code of a user or of another library; its exceptions become one sentence."""
    try:
        return function(*arguments)
    except GplandmarkError:
        raise
    except Exception as reason:
        what = f"The kernel raised {type(reason).__name__} when its entries were asked for"
        raise KernelError(with_reason(what, reason)) from reason


def _plain(array: Any) -> Any:
    """An array of NumPy, also from a tensor that needs gradients."""
    return np.asarray(array.detach().cpu() if hasattr(array, "detach") else array)


def as_numpy(answer: Any, shape: tuple[int, ...]) -> FloatArray:
    """Finite numbers of this shape, also from a tensor that needs gradients."""
    array = numbers(answered(_plain, answer), "The kernel's entries", KernelError)
    if array.shape != shape:
        raise KernelError(
            f"The kernel's entries should have shape {shape}, but have shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise KernelError("The kernel's entries contain NaN or infinite numbers.")
    return array


def _tensor(array: FloatArray, kind: Any) -> Any:
    import torch  # whoever has such a kernel has it

    return torch.as_tensor(array, dtype=kind or torch.get_default_dtype())
