# SPDX-License-Identifier: MIT
"""What may be replaced without a word, and what may not."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError
from gplandmark.io.files import content_of
from gplandmark.io.landmark_files import format_of, read_collection, read_landmarks
from gplandmark.io.record_files import record_path, with_records
from gplandmark.landmarks import Landmarks

__all__ = ["ADVICE", "check_not_foreign", "check_record_free", "why_foreign"]

ADVICE = "Choose another name, or use --overwrite."


def check_not_foreign(path: Path, specimen: str, *, by_hand: bool = False) -> None:
    """Refuse to replace landmarks that are not our own landmarks of this specimen.

    Those that a person edited are replaced only by another edit, `by_hand`.

    Raises
    ------
    LandmarkFileError
        The file exists, and no record beside it says that its landmarks are ours, unchanged, and
        of the specimen with this name.
    """
    reason = why_foreign(path, specimen, by_hand=by_hand)
    if reason:
        raise LandmarkFileError(f"{reason} {ADVICE}")


def why_foreign(path: Path, specimen: str, *, by_hand: bool = False) -> str:
    """Why `check_not_foreign` refuses, in one sentence without advice; empty if it does not."""
    if not path.exists():
        return ""
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


def _why_not_ours(path: Path) -> str:
    beside = record_path(path, format_of(path)[0])
    for other in _sharing(beside, path):
        if _recorded(other, beside):
            return f"{path} exists, and the record beside it is that of {other.name}, not its own."
    return f"{path} exists and was not written by gplandmark, or was changed since."


def check_record_free(landmarks: Landmarks, path: Path) -> None:
    """Refuse to write landmarks whose record would replace that of others.

    Files that differ in their ending only share a record: it is for the same landmarks in several
    formats.

    Raises
    ------
    LandmarkFileError
        A file of another ending lies there, and the record is about its landmarks, not these.
    """
    beside = record_path(path, format_of(path)[0])
    for other in _sharing(beside, path):
        known = _recorded(other, beside)
        if known and not (len(known) == 1 and _are_same(known[0], landmarks)):
            raise LandmarkFileError(
                f"{beside} is the record of {other.name}, which has other landmarks, and would be "
                f"replaced. {ADVICE}"
            )


def _sharing(beside: Path, path: Path) -> Iterator[Path]:
    """Landmark files, other than `path`, whose record this is."""
    stem = beside.name.removesuffix(".record.json")
    for other in sorted(beside.parent.iterdir()):
        if other.name.startswith(f"{stem}.") and other not in (path, beside):
            try:
                ending, _ = format_of(other)
            except LandmarkFileError:
                continue
            if record_path(other, ending) == beside:
                yield other


def _recorded(path: Path, beside: Path) -> list[Landmarks]:
    """Those landmarks of a file that the record is about, as it tells them."""
    try:
        found = read_collection(path)
    except LandmarkFileError:
        return []
    told = with_records(found, beside, keeps=())  # leaves those as they are that it is not about
    return [new for old, new in zip(found, told, strict=True) if new is not old]


def _are_same(one: Landmarks, other: Landmarks) -> bool:
    return (
        np.array_equal(one.points, other.points, equal_nan=True)
        and np.array_equal(one.vertices, other.vertices)
        and one.labels == other.labels
    )


def _is_as_recorded(path: Path) -> bool:
    """Tell whether a file still has the names, types, classes and system that the record tells.

    Formats differ in what they hold and how they spell it, so that what the record tells is
    written in the format, and read again.
    """
    ending, chosen = format_of(path)
    if chosen.text is None:
        return False
    specimen = path.name[: -len(ending)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        found = chosen.parse(content_of(path), specimen)
        recorded = with_records(found, record_path(path, ending), keeps=())
        (expected,) = chosen.parse(chosen.text(recorded), specimen)
    (here,) = found
    return (
        (here.labels, here.kinds, here.classes)
        == (expected.labels, expected.kinds, expected.classes)
        # an older file of the same record may have been written before the system was known
        and (here.system == expected.system or None in (here.system, expected.system))
    )
