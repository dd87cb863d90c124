# SPDX-License-Identifier: MIT
"""Files that appear whole or not at all."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gplandmark.errors import LandmarkFileError

__all__ = ["check_writable", "write_whole"]


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written, before the work starts.

    Raises
    ------
    LandmarkFileError
        Its folder does not exist or is closed to us, or the name is that of a folder.
    """
    folder = path.parent
    if not folder.is_dir():
        raise LandmarkFileError(f"{path}: there is no folder {folder}. Make it, or choose another.")
    if path.is_dir():
        raise LandmarkFileError(f"{path} is a folder. Give the name of a file.")
    if not os.access(folder, os.W_OK):
        raise LandmarkFileError(f"{path}: the folder {folder} is not writable. Choose another.")


def write_whole(contents: Mapping[Path, str | bytes]) -> None:
    """Write all files under temporary names first and rename them when all are complete.

    Raises
    ------
    LandmarkFileError
        A file cannot be written; none of them is then changed.
    """
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in contents}
    path = next(iter(contents))
    try:
        for path, content in contents.items():
            data = content.encode("utf-8") if isinstance(content, str) else content
            with temporary[path].open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # a full disk shows here, not after the rename
        for path, part in temporary.items():
            part.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LandmarkFileError(
            f"{path} cannot be written ({reason}). Check the folder and the space on the disk."
        ) from None
    finally:
        for part in temporary.values():
            with suppress(OSError):  # the name may be one that no file can have
                part.unlink(missing_ok=True)
