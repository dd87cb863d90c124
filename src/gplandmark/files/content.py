# SPDX-License-Identifier: MIT
"""The text of a file, without surprises: no folder, no device, nothing of unbounded size."""

import stat
from pathlib import Path

from gplandmark.errors import LandmarkFileError

__all__ = ["LARGEST", "content_of"]

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
