# SPDX-License-Identifier: MIT
"""One door in and one door out for landmark files, by the ending of their name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.files import slicer, table
from gplandmark.files.recorded import record_path, record_text, with_record
from gplandmark.files.whole import write_whole
from gplandmark.landmarks import Landmarks

__all__ = [
    "FORMATS",
    "Format",
    "check_dimension",
    "check_not_foreign",
    "format_of",
    "read_landmarks",
    "write",
]


@dataclass(frozen=True)
class Format:
    """How one kind of landmark file is parsed and written, both as text."""

    name: str
    parse: Callable[[str, str], Landmarks]
    text: Callable[[Landmarks], str]
    in_space: bool = True  # whether it holds points in space only


FORMATS: Mapping[str, Format] = {
    ".mrk.json": Format("3D Slicer markups", slicer.parse, slicer.text),
    ".csv": Format("table", table.parse, table.text, in_space=False),
}


def format_of(path: Path) -> tuple[str, Format]:
    """Return the ending of a file's name and the format that goes with it.

    Raises
    ------
    LandmarkFileError
        No format has this ending.
    """
    for ending, each in FORMATS.items():
        if path.name.lower().endswith(ending):
            return ending, each
    known = ", ".join(f"{ending} ({each.name})" for ending, each in FORMATS.items())
    raise LandmarkFileError(
        f"{path}: the ending of the name tells no landmark format. Use one of {known}."
    )


def write(landmarks: Landmarks, path: str | Path) -> tuple[Path, Path]:
    """Write landmarks to a file, and the record of how they were made beside it.

    The ending chooses the format: ``.mrk.json`` for 3D Slicer, ``.csv`` for a table. The
    record of ``tooth.mrk.json`` is ``tooth.record.json``. Both files appear whole or not at
    all.

    Returns
    -------
    The paths of the landmark file and of the record.
    """
    path = Path(path)
    ending, chosen = format_of(path)
    check_dimension(path, landmarks.points.shape[1])
    beside = record_path(path, ending)
    write_whole({path: chosen.text(landmarks), beside: record_text(landmarks)})
    return path, beside


def check_dimension(path: Path, dimension: int) -> None:
    """Refuse points of the plane, or of more than space, where a format holds neither.

    Raises
    ------
    LandmarkFileError
        The format holds points in space only.
    """
    ending, chosen = format_of(path)
    if chosen.in_space and dimension != 3:
        raise LandmarkFileError(
            f"{path}: {ending} files hold points in space, and these have dimension {dimension}. "
            "Use .csv."
        )


def check_not_foreign(path: Path) -> None:
    """Refuse to replace landmarks that somebody else made, or that were changed since.

    Raises
    ------
    LandmarkFileError
        The file exists, and no record beside it says that its points are ours.
    """
    if not path.exists():
        return
    try:
        ours = bool(read_landmarks(path).record.software)
    except LandmarkFileError:
        ours = False
    if not ours:
        raise LandmarkFileError(
            f"{path} exists and was not written by gplandmark, or was changed since. "
            "Choose another name, or use --overwrite."
        )


def read_landmarks(path: str | Path) -> Landmarks:
    """Read landmarks from a file; their record too, if it lies beside it.

    Raises
    ------
    LandmarkFileError
        The file is missing or unreadable, its ending is unknown, or its content is not
        what its ending says.
    """
    path = Path(path)
    ending, chosen = format_of(path)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise LandmarkFileError(f"{path}: there is no such file. Check the name.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LandmarkFileError(f"{path} cannot be read ({error}).") from None
    try:
        landmarks = chosen.parse(content, path.name[: -len(ending)])
    except LandmarkFileError as error:
        raise LandmarkFileError(f"{path}: {error}") from None
    return with_record(landmarks, record_path(path, ending))
