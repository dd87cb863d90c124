# SPDX-License-Identifier: MIT
"""The landmarks in a folder of results, for commands that are given the folder itself."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from gplandmark.collections.joint import FOLDER, by_name
from gplandmark.collections.journal import journal_path, read_entries
from gplandmark.collections.output import command_of
from gplandmark.errors import LandmarkFileError
from gplandmark.files import read_landmarks
from gplandmark.landmarks import Landmarks

__all__ = ["read_results", "results_of"]


def results_of(path: Path) -> Path | None:
    """Return the folder of results that a path names, itself or by its joint files; else None."""
    folder = path.absolute().parent if path.name == FOLDER else path
    is_ours = journal_path(folder).exists() and (folder / "landmarks").is_dir()
    return folder if path.is_dir() and is_ours else None


def read_results(results: Path) -> tuple[Landmarks, ...]:
    """Read the landmarks of each specimen that has some, called after its key, as ``site/a``.

    Which files those are the journal tells: others may lie there from earlier runs.

    Raises
    ------
    LandmarkFileError
        There are none, or they cannot be read.
    """
    done = {key: entry for key, entry in read_entries(results).items() if entry.is_done}
    files = {key: results / next(iter(entry.outputs)) for key, entry in sorted(done.items())}
    found = [
        replace(read_landmarks(path), specimen=key) for key, path in files.items() if path.exists()
    ]
    if command_of(results) == "match" and len({each.labels for each in found}) > 1:
        usual, _ = Counter(each.labels for each in found).most_common(1)[0]
        found = by_name(found, usual)  # a person took some away, or added some
    if not found:
        raise LandmarkFileError(f"{results / 'landmarks'} has no landmark file in it.")
    return tuple(found)
