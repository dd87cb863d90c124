# SPDX-License-Identifier: MIT
"""The landmarks in a folder of results, for commands that are given the folder itself."""

from dataclasses import replace
from pathlib import Path

from gplandmark.collections.joint import FOLDER
from gplandmark.collections.journal import journal_path
from gplandmark.errors import LandmarkFileError
from gplandmark.files import read_folder
from gplandmark.files.folder import landmark_files
from gplandmark.landmarks import Landmarks

__all__ = ["read_results", "results_of"]


def results_of(path: Path) -> Path | None:
    """Return the folder of results that a path names, itself or by its joint files; else None."""
    folder = path.absolute().parent if path.name == FOLDER else path
    is_ours = journal_path(folder).exists() and (folder / "landmarks").is_dir()
    return folder if path.is_dir() and is_ours else None


def read_results(results: Path) -> tuple[Landmarks, ...]:
    """Read the landmarks of each specimen, called after its folder, too, as ``site/a``.

    Raises
    ------
    LandmarkFileError
        There are none, or they cannot be read.
    """
    top = results / "landmarks"
    folders = [top, *sorted(path for path in top.rglob("*") if path.is_dir())]
    found = [
        replace(each, specimen=(folder.relative_to(top) / each.specimen).as_posix())
        for folder in folders
        if landmark_files(folder)
        for each in read_folder(folder)
    ]
    if not found:
        raise LandmarkFileError(f"{top} has no landmark file in it.")
    return tuple(found)
