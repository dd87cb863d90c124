# SPDX-License-Identifier: MIT
"""One door in and one door out for landmark files, by the ending of their name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_of, write_whole
from gplandmark.io.format_limits import check_systems, warn_lost
from gplandmark.io.homology import is_unmatched, marked, with_mark
from gplandmark.io.landmark_formats import (
    amira,
    checkpoint,
    fcsv,
    meshlab,
    morphologika,
    ntsys,
    pts,
    slicer,
    tps,
)
from gplandmark.io.landmark_formats import csv_long as table
from gplandmark.io.landmark_formats import csv_wide as wide
from gplandmark.io.record_files import check_not_edited, record_path, records_text, with_records
from gplandmark.landmarks import Landmarks

__all__ = [
    "FORMATS",
    "Format",
    "check_dimension",
    "contents",
    "format_of",
    "read_collection",
    "read_landmarks",
    "write",
    "write_collection",
    "writer_of",
]

EVERYTHING = ("names", "types", "missing", "system")


@dataclass(frozen=True)
class Format:
    """How one kind of landmark file is parsed and written, both as text, and what it can tell.

    `parse` takes the text and the name for a specimen that has none; `text` is None where we only
    read. `keeps` are those of names, types (fixed, semi), missing landmarks, the coordinate
    system and classes that survive in a file; `in_space` tells that it holds points in space only.
    """

    name: str
    parse: Callable[[str, str], tuple[Landmarks, ...]]
    text: Callable[[Sequence[Landmarks]], str] | None
    holds_many: bool = False
    keeps: tuple[str, ...] = ("missing",)
    in_space: bool = True


FORMATS: Mapping[str, Format] = {
    ".mrk.json": Format("3D Slicer markups", slicer.parse, slicer.text, keeps=EVERYTHING),
    ".fcsv": Format("3D Slicer fiducials", fcsv.parse, fcsv.text, keeps=EVERYTHING),
    ".wide.csv": Format(
        "table, a row per specimen", table.parse, wide.text, True, ("names", "missing")
    ),
    ".csv": Format(
        "table, a row per landmark",
        table.parse,
        table.text,
        True,
        (*EVERYTHING, "classes"),
        in_space=False,
    ),
    ".tps": Format("TPS", tps.parse, tps.text, True),
    ".txt": Format("Morphologika", morphologika.parse, morphologika.text, True),
    ".pts": Format("Landmark Editor", pts.parse, pts.text, False, ("types", "missing")),
    ".nts": Format("NTSYS", ntsys.parse, ntsys.text, True),
    ".dta": Format("Landmark Editor NTSYS", ntsys.parse_dta, ntsys.dta_text, True),
    ".landmarkascii": Format("Amira/Avizo landmark set", amira.parse, None, True, ()),
    ".pp": Format("MeshLab picked points", meshlab.parse, None, False, ("names", "missing")),
    ".ckpt": Format(
        "Checkpoint project", checkpoint.parse, None, False, ("names", "types", "missing")
    ),
}


def format_of(path: Path, *, written: bool = False) -> tuple[str, Format]:
    """Return the ending of a file's name and the format that goes with it.

    Where the file is to be `written`, the sentence offers no format that is only read.

    Raises
    ------
    LandmarkFileError
        No format has this ending.
    """
    for ending, each in FORMATS.items():
        if path.name.lower().endswith(ending):
            return ending, each
    known = ", ".join(
        f"{ending} ({each.name}{'' if each.text else ', only read'})"
        for ending, each in FORMATS.items()
        if each.text or not written
    )
    raise LandmarkFileError(
        f"{path}: the ending of the name tells no landmark format. Use one of {known}."
    )


def write(landmarks: Landmarks, path: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Write landmarks to a file, and the record of how they were made beside it.

    The ending chooses the format, as ``.mrk.json`` for 3D Slicer or ``.csv`` for a table. The
    record of ``tooth.mrk.json`` is ``tooth.record.json``. Both files appear whole or not at
    all. Coordinates are written as they are; a warning names what the format cannot hold.

    Files that exist are replaced, but what a person edited only by another edit or if `overwrite`.

    Returns
    -------
    The paths of the landmark file and of the record.

    Raises
    ------
    LandmarkFileError
        As `write_collection`; or the file has landmarks that a person edited.
    """
    path = Path(path)
    if not (overwrite or landmarks.record.request.get("edits")):
        check_not_edited(path, format_of(path, written=True)[0])
    return write_collection((landmarks,), path)


def write_collection(collection: Sequence[Landmarks], path: str | Path) -> tuple[Path, Path]:
    """Write the landmarks of several specimens into one file, as `write` does for one.

    Raises
    ------
    LandmarkFileError
        The format holds one specimen only, is only read, or cannot hold these landmarks.
    """
    files = contents(collection, Path(path))
    write_whole(files)
    written, beside = files
    return written, beside


def contents(
    collection: Sequence[Landmarks], path: Path, *, silent: bool = False
) -> dict[Path, str]:
    """Text of a landmark file and of the record beside it; what is lost is told unless silent."""
    ending, chosen = format_of(path, written=True)
    text = _writer(collection, path, chosen)
    check_systems(collection, path, chosen.keeps)
    try:
        content = text(collection)
    except LandmarkFileError as error:
        raise LandmarkFileError(f"{path}: {error}") from None
    if any(map(is_unmatched, collection)):
        content = marked(content, ending)
    if not silent:
        warn_lost(collection, path, chosen.keeps)
    return {path: content, record_path(path, ending): records_text(collection)}


def writer_of(path: Path) -> Callable[[Sequence[Landmarks]], str]:
    """Return what writes the format of a file's ending; refuse one that is only read."""
    _, chosen = format_of(path, written=True)
    if chosen.text is None:
        known = ", ".join(ending for ending, each in FORMATS.items() if each.text is not None)
        raise LandmarkFileError(
            f"{path}: files of this kind ({chosen.name}) are only read. Write one of {known}."
        )
    return chosen.text


def _writer(
    collection: Sequence[Landmarks], path: Path, chosen: Format
) -> Callable[[Sequence[Landmarks]], str]:
    """Return what writes this format, if it holds as many specimens."""
    text = writer_of(path)
    if not collection:
        raise LandmarkFileError(f"{path}: there is no specimen to write.")
    for landmarks in collection:
        check_dimension(path, landmarks.points.shape[1])
    if len(collection) > 1 and not chosen.holds_many:
        raise LandmarkFileError(
            f"{path}: a file of this kind ({chosen.name}) holds one specimen, but there are "
            f"{len(collection)}. Write a folder, or a .csv, .tps, .txt, .nts or .dta file."
        )
    return text


def check_dimension(path: Path, dimension: int) -> None:
    """Refuse points of the plane, or of more than space, where a format holds neither.

    Raises
    ------
    LandmarkFileError
        The format holds points in space only.
    """
    ending, chosen = format_of(path, written=True)
    if chosen.in_space and dimension != 3:
        raise LandmarkFileError(
            f"{path}: {ending} files hold points in space, and these have dimension {dimension}. "
            "Use .csv."
        )


def read_landmarks(path: str | Path) -> Landmarks:
    """Read the landmarks of one specimen; their record too, if it lies beside the file.

    The numbers are those of the file, and `Landmarks.system` is what it tells of them.

    Raises
    ------
    LandmarkFileError
        The file is missing or unreadable, its ending is unknown, its content is not what its
        ending says, or it holds several specimens.
    """
    found = read_collection(path)
    if len(found) > 1:
        raise LandmarkFileError(
            f"{path}: the file holds {len(found)} specimens ({found[0].specimen}, "
            f"{found[1].specimen}, ...), expected one. Split it with "
            f"'gplandmark convert {path} separate --each .mrk.json'."
        )
    return found[0]


def read_collection(path: str | Path) -> tuple[Landmarks, ...]:
    """Read the landmarks of every specimen in a file, as `read_landmarks` does for one."""
    path = Path(path)
    ending, chosen = format_of(path)
    content = content_of(path)
    try:
        found = chosen.parse(content, path.name[: -len(ending)])
    except LandmarkFileError as error:
        raise LandmarkFileError(f"{path}: {error}") from None
    if not found:
        raise LandmarkFileError(f"{path}: the file holds no specimen.")
    keeps = (*chosen.keeps, "specimens") if chosen.holds_many else chosen.keeps
    return with_mark(with_records(found, record_path(path, ending), keeps), content)
