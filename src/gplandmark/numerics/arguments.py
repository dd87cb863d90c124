# SPDX-License-Identifier: MIT
"""Arguments that people pass: whole numbers, numbers and arrays, or one sentence that says why not.

Complex numbers, texts, dates and masked entries are refused. NumPy would drop an imaginary part,
read a text as a number and ignore a mask.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, TypeVar

import numpy as np

from gplandmark.errors import GplandmarkError, SettingsError
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

Kind = TypeVar("Kind")
LARGEST = 2.0**63  # beyond the numbers that an index can have


def whole_number(value: Any, what: str, error: type[GplandmarkError] = SettingsError) -> int:
    """Return a number such as a count or a seed; `what` begins the sentence if it is none."""
    array = _array(value, what, error)
    if array.ndim or array.dtype.kind not in "iu":
        raise error(f"{what} must be a whole number, got {short_repr(value)}.")
    return int(array)


def real_number(value: Any, what: str, error: type[GplandmarkError] = SettingsError) -> float:
    """Return one real number; it may be infinite or NaN."""
    array = _array(value, what, error)
    if array.ndim or array.dtype.kind not in "iuf":
        raise error(f"{what} must be a number, got {short_repr(value)}.")
    return float(array)


def seed_number(seed: Any) -> int:
    """Return a seed of 0 or more; a generator of NumPy gives its next number."""
    # Asked for what it has: numpy.random takes long to import, and is no generator itself.
    if hasattr(seed, "bit_generator") and hasattr(seed, "integers"):
        return int(seed.integers(2**63))
    number = whole_number(seed, "The seed")
    if number < 0:
        raise SettingsError(f"The seed must be 0 or more, got {seed}.")
    return number


def numbers(
    values: npt.ArrayLike, what: str, error: type[GplandmarkError] = SettingsError
) -> FloatArray:
    """Return real numbers of any shape; they may be infinite or NaN, masked ones are NaN."""
    array = _array(values, what, error)
    if array.dtype.kind not in "biuf":
        raise error(f"{what} must be numbers, got {_described(values, array)}.")
    # Asked for a mask first: numpy.ma takes long to import.
    if hasattr(values, "mask") and isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return array.astype(np.float64, copy=False)


def finite_numbers(
    values: npt.ArrayLike, what: str, error: type[GplandmarkError] = SettingsError
) -> FloatArray:
    """Return real numbers of any shape, none of them infinite, NaN or masked."""
    array = numbers(values, what, error)
    if not np.isfinite(array).all():
        raise error(f"{what} must be finite, without NaN, infinite or masked numbers.")
    return array


def whole_numbers(
    values: npt.ArrayLike, what: str, error: type[GplandmarkError] = SettingsError
) -> IndexArray:
    """Return whole numbers of any shape; floats are taken if they are whole, e.g. from MATLAB."""
    array = _array(values, what, error)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    is_whole = array.dtype.kind in "iu" or (
        array.dtype.kind == "f" and bool((np.trunc(array) == array).all())
    )
    # NumPy loads its masked arrays only when they are asked for.
    is_masked = (
        hasattr(values, "mask")
        and isinstance(values, np.ma.MaskedArray)
        and bool(np.ma.getmaskarray(values).any())
    )
    is_large = array.dtype.kind in "uf" and float(np.abs(array).max()) >= LARGEST
    if not is_whole or is_masked or is_large:
        raise error(f"{what} must be whole numbers, got {_described(values, array)}.")
    return array.astype(np.int64, copy=False)


def vertex_list(values: npt.ArrayLike, what: str, *, masks: bool = False) -> npt.NDArray[Any]:
    """Return a list of vertex numbers (m,), perhaps empty; or, where allowed, a mask."""
    try:
        array = np.asarray(values)
    except Exception:  # a ragged list, or an array of another library
        array = np.array(None)
    if array.ndim == 1 and array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if masks and array.dtype == bool and array.ndim == 1:
        return array
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SettingsError(f"{what} must be given as a list of vertex numbers.")
    return whole_numbers(array, what)


def mask(values: npt.ArrayLike, count: int, what: str) -> BoolArray:
    """Return one boolean for each of so many points."""
    array = _array(values, what, SettingsError)
    if array.dtype != bool or array.shape != (count,):
        raise SettingsError(
            f"{what} must be a mask of {count:,} booleans, one per point, "
            f"got {_described(values, array)}."
        )
    return array


def instance(
    value: Any, kind: type[Kind], hint: str, error: type[GplandmarkError] = SettingsError
) -> Kind:
    """Return the value, if it is of this type; the hint says how to make one."""
    if not isinstance(value, kind):
        raise error(f"Expected {kind.__name__}, got {short_repr(value)}. {hint}")
    return value


def function(value: Any, what: str) -> Callable[..., Any]:
    """Return the value, if it can be called."""
    if not callable(value):
        raise SettingsError(f"{what} must be a function, got {short_repr(value)}.")
    return value  # type: ignore[no-any-return]


def path_of(value: Any, error: type[GplandmarkError]) -> Path:
    """Return the path of a file or folder."""
    try:
        return Path(value)
    except TypeError:
        raise error(f"Expected the path of a file, got {short_repr(value)}.") from None


def _array(values: Any, what: str, error: type[GplandmarkError]) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
        return array.astype(np.float64) if array.dtype == object and array.ndim else array
    except Exception as reason:  # arrays of other libraries raise what they like
        raise error(f"{what} must be numbers, got {_described(values)} ({reason}).") from None


def _described(values: Any, array: npt.NDArray[Any] | None = None) -> str:
    if array is None or array.ndim == 0:
        return short_repr(values)
    return f"{array.dtype} of shape {array.shape}"


def extra(package: str) -> Any:
    """Import a package that not everybody has installed."""
    try:
        return import_module(package)
    except ImportError:
        raise SettingsError(
            f"This needs {package}, which is not installed. "
            f"Install it with: python -m pip install {package}"
        ) from None
