# SPDX-License-Identifier: MIT
"""Reading text files safely, writing files atomically, and digests of files."""

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.volumes.volume_files import scan_files
from gplandmark.numerics.safe_files import open_regular, replace_files

LARGEST = 64 * 2**20  # bytes; a landmark takes about a hundred


def content_of(path: Path) -> str:
    """Return the text of a regular file; symbolic links are followed.

    Raises
    ------
    LandmarkFileError
        The file is missing, empty, too large, not readable, not text, or not a regular file.
    """
    try:
        status = path.stat()
        _check(status.st_mode, status.st_size, path)
        content = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise LandmarkFileError("there is no such file. Check the name.", path) from None
    except UnicodeDecodeError:
        raise LandmarkFileError.of(
            path, "cannot be read as text. It is damaged, or not saved as UTF-8."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LandmarkFileError.of(path, f"cannot be read ({reason}).") from None
    if not content.strip():
        raise LandmarkFileError.of(path, "is empty. Export the landmarks again.")
    return content


def _check(mode: int, size: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise LandmarkFileError.of(path, "is a folder. Name one landmark file inside it.")
    if not stat.S_ISREG(mode):
        raise LandmarkFileError.of(path, "is not a regular file. Name a landmark file.")
    if size > LARGEST:
        raise LandmarkFileError.of(
            path,
            f"has {size:,} bytes; a landmark file has at most {LARGEST:,}. "
            "Is it a scan, or another kind of file?",
        )


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written, before the work starts.

    Raises
    ------
    LandmarkFileError
        Its folder does not exist or is not writable, or the name is that of a folder.
    """
    folder = path.parent
    if not folder.is_dir():
        raise LandmarkFileError(f"there is no folder {folder}. Make it, or choose another.", path)
    if path.is_dir():
        raise LandmarkFileError.of(path, "is a folder. Give the name of a file.")
    if not os.access(folder, os.W_OK):
        raise LandmarkFileError(f"the folder {folder} is not writable. Choose another.", path)


def write_atomically(contents: Mapping[Path, str | bytes]) -> None:
    """Write all files under temporary names first and rename them when all are complete.

    A link in the place of a file is replaced, and what it leads to stays.

    Raises
    ------
    LandmarkFileError
        A file cannot be written; none of them is then changed.
    """
    try:
        replace_files(
            {
                path: content.encode("utf-8") if isinstance(content, str) else content
                for path, content in contents.items()
            }
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise LandmarkFileError.of(
            Path(error.filename),
            f"cannot be written ({reason}). Check the folder and the space on the disk.",
        ) from None


def open_to_append(path: Path) -> IO[bytes]:
    """Open a file to add to its end, unbuffered; it is made if need be, never through a link.

    Raises
    ------
    LandmarkFileError
        It cannot be written, or is not a regular file.
    """
    try:
        file = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LandmarkFileError.of(path, f"cannot be written ({reason}).") from None
    return open(file, "ab", buffering=0)


def read_regular(path: Path) -> bytes:
    """Return the content of a file in a folder of results, which must be a regular file.

    Raises
    ------
    OSError
        It cannot be read, or is a link, a pipe or a device.
    """
    with open(open_regular(path, os.O_RDONLY), "rb") as file:
        return file.read()


def real_path(path: Path) -> Path:
    """Return the whole path of a file without links; links that lead to themselves stay."""
    return Path(os.path.realpath(path))


def digest(path: Path) -> str:
    """SHA-256 of a file.

    Raises
    ------
    SettingsError
        It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError.of(path, f"cannot be read ({reason}). Check the name.") from None


def content_digest(path: Path) -> str | None:
    """SHA-256 of a file; None if it cannot be read or is not a regular file, e.g. a pipe.

    Of a scan in several files, like a folder of slices, it is that of their names and digests.
    """
    try:
        files = scan_files(path)
        if files == [path]:
            return digest(path) if path.is_file() else None
        whole = hashlib.sha256()
        for each in files:
            whole.update(f"{each.name}\0{digest(each)}\n".encode(errors="surrogateescape"))
        return whole.hexdigest() if files else None
    except SettingsError:
        return None
