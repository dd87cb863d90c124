# SPDX-License-Identifier: MIT
"""Folders with one landmark file per specimen."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.format_limits import warn_lost
from gplandmark.io.homology import NOTE
from gplandmark.io.landmark_files import FORMATS, contents, read_collection
from gplandmark.landmarks import Landmarks

__all__ = ["folder_contents", "landmark_files", "read_folder"]


def read_folder(folder: Path, without: Collection[Path] = ()) -> tuple[Landmarks, ...]:
    """Read every landmark file of a folder, in the order of their names.

    `without` are files in it that are no landmarks, whatever their names say.

    Raises
    ------
    LandmarkFileError
        There is none, or there are several kinds, which may be the same landmarks twice.
    """
    paths = landmark_files(folder, without)
    if not paths:
        raise LandmarkFileError(f"{folder} has no landmark file in it.")
    endings = sorted({_ending(path) for path in paths})
    if len(endings) > 1:
        raise LandmarkFileError(
            f"{folder} has files of several kinds: {', '.join(endings)}. "
            f"Name those of one kind, as {folder}/*{endings[0]}."
        )
    return tuple(each for path in paths for each in read_collection(path))


def landmark_files(folder: Path, without: Collection[Path] = ()) -> list[Path]:
    """List the landmark files of a folder by name; the note that they are not matched is none.

    Raises
    ------
    LandmarkFileError
        The folder cannot be read.
    """
    others = {path.resolve() for path in (*without, folder / NOTE)}
    try:
        return sorted(
            path for path in folder.iterdir() if _ending(path) and path.resolve() not in others
        )
    except OSError as error:
        raise LandmarkFileError(f"{folder} cannot be read ({error.strerror}).") from None


def folder_contents(collection: Sequence[Landmarks], folder: Path, ending: str) -> dict[Path, str]:
    """Texts of one landmark file and one record per specimen, named after it."""
    files: dict[Path, str] = {}
    taken: set[str] = set()
    for landmarks in collection:
        name = stem = re.sub(r"[^\w.+-]+", "_", landmarks.specimen).strip("._") or "specimen"
        number = 1
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        files |= contents((landmarks,), folder / f"{name}{ending}", silent=True)
    warn_lost(collection, folder / f"*{ending}", FORMATS[ending].keeps)
    return files


def _ending(path: Path) -> str:
    """Known ending of a visible file; empty for others."""
    name = path.name.lower()
    if name.startswith("."):
        return ""
    return next((ending for ending in FORMATS if name.endswith(ending)), "")
