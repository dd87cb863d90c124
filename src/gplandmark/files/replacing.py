# SPDX-License-Identifier: MIT
"""What may be replaced without a word, and what may not."""

from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.files.formats import format_of, read_landmarks
from gplandmark.files.recorded import check_not_edited

__all__ = ["ADVICE", "check_not_foreign", "why_foreign"]

ADVICE = "Choose another name, or use --overwrite."


def check_not_foreign(path: Path, specimen: str) -> None:
    """Refuse to replace landmarks that are not our own landmarks of this specimen.

    Raises
    ------
    LandmarkFileError
        The file exists, and no record beside it says that its points are ours and of the specimen
        with this name; or a person edited them.
    """
    reason = why_foreign(path, specimen)
    if reason:
        raise LandmarkFileError(f"{reason} {ADVICE}")
    if path.exists():
        check_not_edited(path, format_of(path)[0])


def why_foreign(path: Path, specimen: str) -> str:
    """Why a file is not our own landmarks of this specimen, in one sentence; empty if it is."""
    if not path.exists():
        return ""
    try:
        record = read_landmarks(path).record
    except LandmarkFileError:
        record = None
    if record is None or not record.software:
        return f"{path} exists and was not written by gplandmark, or was changed since."
    other = record.input.get("specimen", specimen)
    return "" if other == specimen else f"{path} has landmarks of {other}, not of {specimen}."
