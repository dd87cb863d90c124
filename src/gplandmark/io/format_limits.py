# SPDX-License-Identifier: MIT
"""What a format cannot hold: refused where points would be mistaken, told where words are lost."""

import warnings
from collections.abc import Collection, Sequence
from pathlib import Path

from gplandmark.errors import GplandmarkWarning, LandmarkFileError
from gplandmark.io.formatting import are_numbers
from gplandmark.landmarks import Landmarks

__all__ = ["check_systems", "warn_lost"]


def check_systems(collection: Sequence[Landmarks], path: Path, keeps: Collection[str]) -> None:
    """Refuse to mix LPS and RAS in a file that does not tell which is which.

    Raises
    ------
    LandmarkFileError
        Some specimens are in LPS and others in RAS.
    """
    systems = {each.system for each in collection if each.system}
    if len(systems) > 1 and "system" not in keeps:
        raise LandmarkFileError(
            f"{path}: some specimens are in LPS and some in RAS, and this format cannot tell "
            "which. Use --to-lps or --to-ras, or write .csv."
        )


def warn_lost(collection: Sequence[Landmarks], path: Path, keeps: Collection[str]) -> None:
    """Name what the landmarks tell and the format cannot; the record beside it has it."""
    systems = sorted({each.system for each in collection if each.system})
    told = {
        "names": "the names of the landmarks"
        if any(not are_numbers(each.labels) for each in collection)
        else "",
        "types": "which are fixed and which semi" if any(each.kinds for each in collection) else "",
        "system": f"the coordinate system ({' and '.join(systems)})" if systems else "",
    }
    lost = [what for held, what in told.items() if what and held not in keeps]
    if lost:
        warnings.warn(
            f"{path.name} cannot hold {', '.join(lost)}; only the record beside it can.",
            GplandmarkWarning,
            stacklevel=4,
        )
