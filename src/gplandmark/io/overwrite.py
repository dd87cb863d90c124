# SPDX-License-Identifier: MIT
"""Which files may be replaced unasked. This is the only place that decides it.

A file may be replaced if it is *our own*: gplandmark wrote it, for the same specimen or the same
command, and nobody has changed it since. Anything else is replaced only with ``--overwrite``.

Every `check_...` raises `OverwriteError`, with the reason and what to do about it.
"""

import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError, OverwriteError
from gplandmark.io.files import content_digest, content_of
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.landmark_formats.formats import format_of
from gplandmark.io.record_files import (
    UNREADABLE,
    is_as_recorded,
    is_same_record,
    record_path,
    recorded,
    with_records,
)
from gplandmark.landmarks import Landmarks

ADVICE = "Choose another name, or use --overwrite."
START = 2000  # bytes that show what a file is


def check_new(path: Path) -> None:
    """Refuse to replace any file."""
    if path.exists():
        raise OverwriteError.of(path, f"exists. {ADVICE}")


def check_own_landmarks(path: Path, specimen: str, *, by_hand: bool = False) -> None:
    """Refuse to replace landmarks that are not our own landmarks of this specimen.

    Those that a person edited are replaced only by another edit, `by_hand`.

    Raises
    ------
    OverwriteError
        The file exists, and no record beside it says that its landmarks are ours, unchanged, and
        of the specimen with this name; or, by hand, a record of other landmarks is there.
    """
    if reason := why_not_own(path, specimen, by_hand=by_hand):
        raise OverwriteError(f"{reason} {ADVICE}")


def why_not_own(path: Path, specimen: str, *, by_hand: bool = False) -> str:
    """Why `check_own_landmarks` refuses, in one sentence without advice; empty if it does not."""
    if not path.exists():
        return _why_lone_record(path) if by_hand else ""
    try:
        landmarks = read_landmarks(path)
        is_ours = bool(landmarks.record.software) and _is_as_recorded(path)
    except LandmarkFileError:
        is_ours = False
    if not is_ours:
        return _why_not_ours(path)
    record = landmarks.record
    if record.request.get("edits") and not by_hand:
        return f"{path} has landmarks that a person edited."
    other = record.input.get("specimen", specimen)
    return "" if other == specimen else f"{path} has landmarks of {other}, not of {specimen}."


def _why_lone_record(path: Path) -> str:
    record = record_path(path, format_of(path)[0])
    if not record.exists():
        return ""
    return f"{record} belongs to other landmarks, and the record of {path.name} would replace it."


def _why_not_ours(path: Path) -> str:
    beside = record_path(path, format_of(path)[0])
    for other in _sharing(beside, path):
        if _recorded(other, beside):
            return f"{path} exists, and the record beside it is that of {other.name}, not its own."
    return f"{path} exists and was not written by gplandmark, or was changed since."


def check_own_record(landmarks: Landmarks, path: Path) -> None:
    """Refuse to write landmarks whose record would replace that of others.

    Files that differ only in their extension share a record: it is for the same landmarks in
    several formats.
    """
    beside = record_path(path, format_of(path)[0])
    for other in _sharing(beside, path):
        known = _recorded(other, beside)
        if known and not (len(known) == 1 and _are_same(known[0], landmarks)):
            raise OverwriteError(
                f"{beside} is the record of {other.name}, which has other landmarks, and would be "
                f"replaced. {ADVICE}"
            )


def check_new_landmarks(files: Mapping[Path, str]) -> None:
    """Refuse to replace files, except a record by one of the same landmarks, made in the same way.

    Names, types, classes and the system may differ there: one of several formats may hold what
    another cannot.
    """
    for path, content in files.items():
        is_record = path.name.endswith(".record.json")
        if path.exists() and not (is_record and is_same_record(path, content)):
            what = "is about other landmarks" if is_record else "exists"
            raise OverwriteError.of(path, f"{what}. {ADVICE}")


def check_own_text(path: Path, text: str | None, beside: Path) -> None:
    """Refuse to replace a file other than the text that was written with the file `beside` it."""
    if not path.exists():
        return
    if not beside.exists():
        raise OverwriteError.of(path, f"exists, but no landmarks of ours beside it. {ADVICE}")
    if text is None or content_of(path) != text:
        raise OverwriteError.of(
            path, f"exists and was not written with {beside.name}, or was changed since. {ADVICE}"
        )


def check_own_start(path: Path, start: re.Pattern[bytes], what: str) -> None:
    """Refuse to replace a file that does not begin as our own files do; an empty one is free."""
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            found = file.read(START)
    except OSError:
        found = b"?"
    if found and start.match(found) is None:
        raise OverwriteError.of(
            path, f"exists and is not {what}. Choose another name, or remove it."
        )


def check_own_folder(folder: Path, mark: str, names: Iterable[str]) -> None:
    """Refuse to replace files in a folder that lacks the file `mark`, which our results have."""
    if (folder / mark).exists():
        return
    there = [name for name in names if (folder / name).exists()]
    if there:
        raise OverwriteError(
            f"{folder / there[0]} exists and was not written by this command. "
            "Choose another folder, or use --overwrite."
        )


def check_not_edited(path: Path) -> None:
    """Refuse to replace landmarks that a person edited, as the record beside them says."""
    extension, _ = format_of(path, written=True)
    try:
        content = json.loads(content_of(record_path(path, extension)))
        edited = path.exists() and bool(content["request"].get("edits"))
    except UNREADABLE:
        return  # no record, or another program's file of that name
    if edited:
        raise OverwriteError.of(
            path, "has landmarks that a person edited. Choose another name, or overwrite=True."
        )


def check_not_input(path: Path, inputs: Collection[Path]) -> None:
    """Refuse to replace a file that is read."""
    if path.exists() and any(each.exists() and path.samefile(each) for each in inputs):
        raise OverwriteError.of(path, "is one of the inputs. Choose another name.")


def is_unchanged(path: Path, digest: str | None) -> bool:
    """Tell whether a file is there, and has the digest that it was written with."""
    return digest is not None and content_digest(path) == digest


def _sharing(beside: Path, path: Path) -> Iterator[Path]:
    """Landmark files, other than `path`, whose record this is."""
    stem = beside.name.removesuffix(".record.json")
    for other in sorted(beside.parent.iterdir()):
        if other.name.startswith(f"{stem}.") and other not in (path, beside):
            try:
                extension, _ = format_of(other)
            except LandmarkFileError:
                continue
            if record_path(other, extension) == beside:
                yield other


def _recorded(path: Path, beside: Path) -> tuple[Landmarks, ...]:
    try:
        return recorded(read_collection(path), beside)
    except LandmarkFileError:
        return ()


def _are_same(one: Landmarks, other: Landmarks) -> bool:
    return (
        np.array_equal(one.points, other.points, equal_nan=True)
        and np.array_equal(one.vertices, other.vertices)
        and one.labels == other.labels
    )


def _is_as_recorded(path: Path) -> bool:
    extension, chosen = format_of(path)
    if chosen.text is None:
        return False
    specimen, record = path.name[: -len(extension)], record_path(path, extension)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        found = chosen.parse(content_of(path), specimen)
        expected = chosen.parse(chosen.text(with_records(found, record, keeps=())), specimen)
    return is_as_recorded(*found, *expected)
