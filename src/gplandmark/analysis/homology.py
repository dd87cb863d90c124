# SPDX-License-Identifier: MIT
"""Whether number 7 of one specimen is number 7 of another.

Landmarks that were placed on each specimen for itself are numbered by what they add to the
knowledge of that specimen. Their numbers say nothing across specimens, and a superimposition
by them is a number without a meaning.
"""

from collections.abc import Sequence
from pathlib import Path

from gplandmark.analysis.configurations import listed
from gplandmark.files.content import content_of
from gplandmark.files.unmatched import MARKS, NOTE
from gplandmark.landmarks import Landmarks

__all__ = ["MATCHING", "unmatched"]

MATCHING = "matching"  # key of `Record.request` under which matched landmarks tell how
HEAD = 4000  # characters of a file in which such a mark would stand


def unmatched(collection: Sequence[Landmarks], paths: Sequence[Path]) -> str:
    """Say why landmarks are not homologous by number; empty if nothing speaks against it.

    It is told by the record of a specimen (made by `place`, `pairs` or a sampler, and not matched
    since), by a mark in one of the files, and by a note beside it.
    """
    alone = [each.specimen for each in collection if _placed_alone(each)]
    if alone:
        return f"{listed('Specimen', alone)}: landmarks were placed on each for itself"
    for path in paths:
        folder = path if path.is_dir() else path.parent
        if (folder / NOTE).exists():
            return f"{folder / NOTE} says that the landmarks are not matched"
        if path.is_file() and any(mark in content_of(path)[:HEAD] for mark in MARKS):
            return f"{path} says that its landmarks are not matched"
    return ""


def _placed_alone(landmarks: Landmarks) -> bool:
    record = landmarks.record
    return "preset" in record.settings and MATCHING not in record.request
