# SPDX-License-Identifier: MIT
"""Files that list vertices, or have a number for each: text, or arrays of NumPy."""

import re
from pathlib import Path

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

NOT_BONE = ".not-bone.txt"  # end of the name of a list beside a scan


def read_weight(path: Path) -> FloatArray:
    """Read one number per vertex from an .npy or a text file."""
    if not path.exists() and path.suffix == "":
        raise SettingsError(
            f"The weight '{path}' is neither 'curvature' nor 'uniform', and there is no such file."
        )
    return _numbers(path).astype(np.float64)


def read_indices(path: Path) -> IndexArray:
    """Read vertex numbers from an .npy or a text file, separated by space, comma or newline."""
    return _as_integers(_numbers(path), path)


def read_exclusion(path: Path) -> IndexArray | BoolArray:
    """Read vertex numbers, or a mask from an .npy file of booleans."""
    numbers = _numbers(path)
    return numbers.astype(bool) if numbers.dtype == bool else _as_integers(numbers, path)


def _as_integers(numbers: FloatArray | BoolArray, path: Path) -> IndexArray:
    if not np.equal(numbers, np.round(numbers)).all() or np.abs(numbers).max(initial=0) > 2**53:
        raise SettingsError.of(path, "must hold vertex numbers, but some are not integers.")
    return numbers.astype(np.int64)


def _numbers(path: Path) -> FloatArray | BoolArray:
    try:
        if path.suffix.lower() == ".npy":
            array = np.load(path, allow_pickle=False).ravel()
            return np.asarray(array if array.dtype == bool else array.astype(np.float64))
        text = path.read_text(encoding="utf-8-sig")
        return np.array(re.sub(r"#.*|[,;]", " ", text).split(), dtype=np.float64)
    except FileNotFoundError:
        raise SettingsError("there is no such file. Check the name.", path) from None
    except OSError as error:
        raise SettingsError.of(path, f"cannot be read ({error.strerror}).") from None
    except ValueError:
        raise SettingsError.of(
            path, "cannot be read as numbers. Use an .npy file, or a text file with numbers only."
        ) from None
