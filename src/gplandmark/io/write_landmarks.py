# SPDX-License-Identifier: MIT
"""Writing landmark files, with their record beside them; and what a format cannot hold."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.files import write_atomically
from gplandmark.io.formatting import abbreviated, are_numbers
from gplandmark.io.landmark_formats.formats import (
    FORMATS,
    JOINT,
    Format,
    check_dimension,
    format_of,
    writer_of,
)
from gplandmark.io.overwrite import check_not_edited
from gplandmark.io.record_files import record_path, records_text
from gplandmark.landmarks import Landmarks
from gplandmark.numerics.arguments import instance, path_of


def write(landmarks: Landmarks, path: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Write landmarks to a file, and the record of how they were made beside it.

    The extension chooses the format, e.g. ``.mrk.json`` for 3D Slicer or ``.csv`` for a table. The
    record of ``tooth.mrk.json`` is ``tooth.record.json``. Either both files appear, complete, or
    neither does. Coordinates are written as they are; a warning names what the format cannot hold.

    Files that exist are replaced. Landmarks that a person edited are replaced only by another edit,
    or with `overwrite`.

    Returns
    -------
    The paths of the landmark file and of the record.

    Raises
    ------
    LandmarkFileError
        As `write_collection`; or the file has landmarks that a person edited.
    """
    path = path_of(path, LandmarkFileError)
    instance(landmarks, Landmarks, "Use gplandmark.place or gplandmark.read_landmarks first.")
    if not (overwrite or landmarks.record.request.get("edits")):
        check_not_edited(path)
    return write_collection((landmarks,), path)


def write_collection(collection: Sequence[Landmarks], path: str | Path) -> tuple[Path, Path]:
    """Write the landmarks of several specimens into one file, as `write` does for one.

    Raises
    ------
    LandmarkFileError
        The format holds one specimen only, is only read, or cannot hold these landmarks.
    """
    if not isinstance(collection, Sequence):
        raise LandmarkFileError("Expected a list of Landmarks, one for each specimen.")
    for landmarks in collection:
        instance(landmarks, Landmarks, "Use gplandmark.place or gplandmark.read_landmarks first.")
    files = contents(collection, path_of(path, LandmarkFileError))
    write_atomically(files)
    written, beside = files
    return written, beside


def contents(
    collection: Sequence[Landmarks], path: Path, *, silent: bool = False
) -> dict[Path, str]:
    """Text of a landmark file and of the record beside it; warns of what is lost unless silent."""
    extension, chosen = format_of(path, written=True)
    text = _writer(collection, path, chosen)
    _check_systems(collection, path, chosen.keeps)
    with LandmarkFileError.about(path):
        content = text(collection)
    if not silent:
        _warn_lost(collection, path, chosen.keeps)
    return {path: content, record_path(path, extension): records_text(collection)}


def folder_contents(
    collection: Sequence[Landmarks], folder: Path, extension: str
) -> dict[Path, str]:
    """Texts of one landmark file and one record per specimen, named after it."""
    files: dict[Path, str] = {}
    taken: set[str] = set()
    often: Counter[str] = Counter()
    numbered: list[str] = []
    for landmarks in collection:
        name = stem = re.sub(r"[^\w.+-]+", "_", landmarks.specimen).strip("._") or "specimen"
        while name.lower() in taken:
            often[stem.lower()] += 1
            name = f"{stem}-{often[stem.lower()] + 1}"
        taken.add(name.lower())
        if name != stem:
            numbered.append(f"'{landmarks.specimen}' as '{name}'")
        files |= contents((landmarks,), folder / f"{name}{extension}", silent=True)
    if numbered:
        warn(f"Files of one name got numbers: {abbreviated(numbered)}.", stacklevel=3)
    _warn_lost(collection, folder / f"*{extension}", FORMATS[extension].keeps)
    return files


def _writer(
    collection: Sequence[Landmarks], path: Path, chosen: Format
) -> Callable[[Sequence[Landmarks]], str]:
    """Return the function that writes this format, if it holds as many specimens."""
    text = writer_of(path)
    if not collection:
        raise LandmarkFileError("there is no specimen to write.", path)
    for landmarks in collection:
        check_dimension(path, landmarks.points.shape[1])
    if len(collection) > 1 and not chosen.holds_many:
        raise LandmarkFileError(
            f"a file of this kind ({chosen.name}) holds one specimen, but there are "
            f"{len(collection)}. Write a folder, or one of {', '.join(JOINT)}.",
            path,
        )
    return text


def _check_systems(collection: Sequence[Landmarks], path: Path, keeps: Collection[str]) -> None:
    """Refuse to mix LPS and RAS in a file that does not say which is which."""
    systems = {each.system for each in collection if each.system}
    if len(systems) > 1 and "system" not in keeps:
        raise LandmarkFileError(
            "some specimens are in LPS and some in RAS, and this format cannot say which. "
            "Use --to-lps or --to-ras, or write .csv.",
            path,
        )


def lost_in(collection: Sequence[Landmarks], path: Path, keeps: Collection[str]) -> str:
    """Name what the landmarks have and the format cannot hold, in a sentence; empty if nothing."""
    systems = sorted({each.system for each in collection if each.system})
    present = {
        "names": "the names of the landmarks"
        if any(not are_numbers(each.labels) for each in collection)
        else "",
        "types": "which are fixed and which semi" if any(each.kinds for each in collection) else "",
        "system": f"the coordinate system ({' and '.join(systems)})" if systems else "",
        "curves": "the curves" if any(each.curves for each in collection) else "",
    }
    lost = [what for field, what in present.items() if what and field not in keeps]
    sentence = f"{path.name} cannot hold {', '.join(lost)}; only the record beside it can."
    return sentence if lost else ""


def _warn_lost(collection: Sequence[Landmarks], path: Path, keeps: Collection[str]) -> None:
    if sentence := lost_in(collection, path, keeps):
        warn(sentence, stacklevel=4)
