# SPDX-License-Identifier: MIT
"""Landmark files and folders of them, read by their extension."""

import re
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path

from gplandmark.errors import GplandmarkWarning, LandmarkFileError
from gplandmark.io.files import content_of, real_path
from gplandmark.io.formatting import lines
from gplandmark.io.homology import NOTE, with_mark
from gplandmark.io.landmark_formats.formats import FORMATS, format_of
from gplandmark.io.missing_codes import Codes, ReadFile, without_codes
from gplandmark.io.record_files import record_path, with_records
from gplandmark.io.vertex_lists import NOT_BONE
from gplandmark.landmarks import Landmarks
from gplandmark.numerics.arguments import path_of

SECTION = re.compile(r"\[\s*\w+\s*\]")  # of Morphologika; lists of numbers have none


def read_landmarks(path: str | Path, *, missing: Codes = None) -> Landmarks:
    """Read the landmarks of one specimen; their record too, if it lies beside the file.

    The coordinates are those of the file, and `Landmarks.system` is what it says of them.

    Parameters
    ----------
    missing : numbers that mean a missing landmark if all coordinates have them, e.g. (-999,). By
        default such codes are found, with a warning; () keeps every number as a coordinate. Codes
        that the format defines are always missing

    Raises
    ------
    LandmarkFileError
        The file is missing or unreadable, its extension is unknown, its content is not what the
        extension says, or it holds several specimens.
    """
    found = read_collection(path, missing=missing)
    if len(found) > 1:
        raise LandmarkFileError(
            f"the file holds {len(found)} specimens ({found[0].specimen}, "
            f"{found[1].specimen}, ...), expected one. Split it with "
            f"'gplandmark convert {path} separate --each .mrk.json'.",
            path,
        )
    return found[0]


def read_collection(path: str | Path, *, missing: Codes = None) -> tuple[Landmarks, ...]:
    """Read the landmarks of every specimen in a file, as `read_landmarks` does for one."""
    return read_files([path_of(path, LandmarkFileError)], missing=missing)


def read_files(paths: Iterable[Path], *, missing: Codes = None) -> tuple[Landmarks, ...]:
    """Read the landmarks of every specimen in several files, as `read_landmarks` does for one."""
    return without_codes([_parsed(path) for path in paths], missing)


def stated_specimen(path: Path) -> str:
    """Name of the specimen that a file, or the record beside it, states; empty if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # `read_landmarks` issues them
        name = _parsed(path, "").landmarks[0].specimen
    return "" if name == Landmarks.specimen else name


def _parsed(path: Path, nameless: str | None = None) -> ReadFile:
    """The landmarks of a file with their records; without a name, they get that of the file."""
    extension, chosen = format_of(path)
    content = content_of(path)
    with LandmarkFileError.about(path):
        name = path.name[: -len(extension)] if nameless is None else nameless
        found = chosen.parse(content, name)
    if not found:
        raise LandmarkFileError("the file holds no specimen.", path)
    keeps = (*chosen.keeps, "specimens") if chosen.holds_many else chosen.keeps
    complete = with_records(found, record_path(path, extension), keeps)
    recorded = [new is not old for new, old in zip(complete, found, strict=True)]
    return ReadFile(path, with_mark(complete, content), recorded, chosen.negative_codes)


def folder_files(folder: Path, without: Collection[Path] = ()) -> list[Path]:
    """List the landmark files of a folder by name, without the note that they are not matched.

    `without` are other files in it that are not landmarks.

    Raises
    ------
    LandmarkFileError
        There is none, or there are several formats, which may be the same landmarks twice; or the
        folder cannot be read.
    """
    others = {real_path(path) for path in (*without, folder / NOTE)}
    try:
        paths = sorted(
            path for path in folder.iterdir() if _extension(path) and real_path(path) not in others
        )
    except OSError as error:
        raise LandmarkFileError.of(folder, f"cannot be read ({error.strerror}).") from None
    if not paths:
        raise LandmarkFileError.of(folder, "has no landmark file in it.")
    if len({_extension(path) for path in paths}) > 1:  # a text beside others may be a readme
        paths = [path for path in paths if _extension(path) != ".txt" or has_sections(path)]
    extensions = sorted({_extension(path) for path in paths})
    if len(extensions) > 1:
        raise LandmarkFileError.of(
            folder,
            f"has files of several formats: {', '.join(extensions)}. "
            "Put those of one format into one file, e.g. with "
            f"gplandmark convert {folder}/*{extensions[0]} all.csv",
        )
    return paths


def has_sections(path: Path) -> bool:
    """Whether a text has sections, as [names], and may be of Morphologika."""
    return any(SECTION.match(line.strip()) for line in lines(content_of(path)))


def _extension(path: Path) -> str:
    """Known extension of a visible file; empty for others."""
    name = path.name.lower()
    if name.startswith(".") or name.endswith(NOT_BONE):
        return ""
    return next((extension for extension in FORMATS if name.endswith(extension)), "")
