# SPDX-License-Identifier: MIT
"""What may be replaced without a word, and what may not."""

from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.files.formats import read_landmarks

__all__ = ["ADVICE", "check_not_foreign", "why_foreign"]

ADVICE = "Choose another name, or use --overwrite."


def check_not_foreign(path: Path, specimen: str, *, by_hand: bool = False) -> None:
    """Refuse to replace landmarks that are not our own landmarks of this specimen.

    Those that a person edited are replaced only by another edit, `by_hand`.

    Raises
    ------
    LandmarkFileError
        The file exists, and no record beside it says that its points are ours and of the specimen
        with this name.
    """
    reason = why_foreign(path, specimen, by_hand=by_hand)
    if reason:
        raise LandmarkFileError(f"{reason} {ADVICE}")


def why_foreign(path: Path, specimen: str, *, by_hand: bool = False) -> str:
    """Why `check_not_foreign` refuses, in one sentence without advice; empty if it does not."""
    if not path.exists():
        return ""
    try:
        record = read_landmarks(path).record
    except LandmarkFileError:
        record = None
    if record is None or not record.software:
        return f"{path} exists and was not written by gplandmark, or was changed since."
    if record.request.get("edits") and not by_hand:
        return f"{path} has landmarks that a person edited."
    other = record.input.get("specimen", specimen)
    return "" if other == specimen else f"{path} has landmarks of {other}, not of {specimen}."
