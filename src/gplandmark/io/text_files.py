# SPDX-License-Identifier: MIT
"""The text of a file, without surprises: no folder, no device, nothing of unbounded size."""

import re
import stat
from pathlib import Path

import numpy as np

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["LARGEST", "content_of", "read_exclusion", "read_indices", "read_weight"]

LARGEST = 64 * 2**20  # bytes; a landmark takes about a hundred


def content_of(path: Path) -> str:
    """Return the text of an ordinary file; symbolic links are followed.

    Raises
    ------
    LandmarkFileError
        The file is missing, empty, too large, closed to us, no text, or no ordinary file.
    """
    try:
        status = path.stat()
        _check(status.st_mode, status.st_size, path)
        content = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise LandmarkFileError(f"{path}: there is no such file. Check the name.") from None
    except UnicodeDecodeError:
        raise LandmarkFileError(
            f"{path} cannot be read as text. It is damaged, or not saved as UTF-8."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LandmarkFileError(f"{path} cannot be read ({reason}).") from None
    if not content.strip():
        raise LandmarkFileError(f"{path} is empty. Export the landmarks again.")
    return content


def _check(mode: int, size: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise LandmarkFileError(f"{path} is a folder. Name one landmark file inside it.")
    if not stat.S_ISREG(mode):
        raise LandmarkFileError(f"{path} is no ordinary file. Name a landmark file.")
    if size > LARGEST:
        raise LandmarkFileError(
            f"{path} has {size:,} bytes; a landmark file has at most {LARGEST:,}. "
            "Is it a scan, or another kind of file?"
        )


def read_weight(path: Path) -> FloatArray:
    """Read one number per vertex from an .npy or a text file."""
    if not path.exists() and path.suffix == "":
        raise SettingsError(
            f"The weight '{path}' is neither 'curvature' nor 'uniform', and there is no such file."
        )
    return _numbers(path).astype(np.float64)


def read_indices(path: Path) -> IndexArray:
    """Read vertex numbers from an .npy or a text file, separated by space, comma or newline."""
    return _whole(_numbers(path), path)


def read_exclusion(path: Path) -> IndexArray | BoolArray:
    """Read vertex numbers, or a mask from an .npy file of booleans."""
    numbers = _numbers(path)
    return numbers.astype(bool) if numbers.dtype == bool else _whole(numbers, path)


def _whole(numbers: FloatArray | BoolArray, path: Path) -> IndexArray:
    if not np.equal(numbers, np.round(numbers)).all() or np.abs(numbers).max(initial=0) > 2**53:
        raise SettingsError(f"{path} must hold vertex numbers, but some are not whole numbers.")
    return numbers.astype(np.int64)


def _numbers(path: Path) -> FloatArray | BoolArray:
    try:
        if path.suffix.lower() == ".npy":
            array = np.load(path, allow_pickle=False).ravel()
            return np.asarray(array if array.dtype == bool else array.astype(np.float64))
        text = path.read_text(encoding="utf-8-sig")
        return np.array(re.sub(r"#.*|[,;]", " ", text).split(), dtype=np.float64)
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such file. Check the name.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}).") from None
    except ValueError:
        raise SettingsError(
            f"{path} cannot be read as numbers. Use an .npy file, or a text file with numbers only."
        ) from None
