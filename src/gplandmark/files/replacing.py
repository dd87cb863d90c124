# SPDX-License-Identifier: MIT
"""What may be replaced without a word, and what may not."""

from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.files.formats import format_of, read_landmarks
from gplandmark.files.recorded import check_not_edited

__all__ = ["check_not_foreign"]


def check_not_foreign(path: Path, specimen: str, *, by_hand: bool = False) -> None:
    """Refuse to replace landmarks that are not our own landmarks of this specimen.

    Those that a person edited are replaced only by another edit, `by_hand`.

    Raises
    ------
    LandmarkFileError
        The file exists, and no record beside it says that its points are ours and of the specimen
        with this name.
    """
    if not path.exists():
        return
    try:
        record = read_landmarks(path).record
    except LandmarkFileError:
        record = None
    if record is None or not record.software:
        raise LandmarkFileError(
            f"{path} exists and was not written by gplandmark, or was changed since. "
            "Choose another name, or use --overwrite."
        )
    if not by_hand:
        check_not_edited(path, format_of(path)[0])
    other = record.input.get("specimen", specimen)
    if other != specimen:
        raise LandmarkFileError(
            f"{path} has landmarks of {other}, not of {specimen}. "
            "Choose another name, or use --overwrite."
        )
