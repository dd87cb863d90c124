# SPDX-License-Identifier: MIT
"""Whether number 7 of one specimen is number 7 of another.

Landmarks that were placed on each specimen for itself are numbered by what they add to the
knowledge of that specimen. Their numbers say nothing across specimens, and a superimposition
by them is a number without a meaning.
"""

from collections.abc import Sequence
from pathlib import Path

from gplandmark.io.formatting import are_numbers
from gplandmark.io.homology_note import MATCHING, NOTE, is_marked, is_unmatched
from gplandmark.io.text_files import content_of
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.configurations import listed

__all__ = ["UNTOLD", "is_untold", "unmatched"]

UNTOLD = (
    "Nothing tells whether landmark number k is the same point on every specimen; results mean "
    "something only if it is. Landmarks that were placed on each specimen for itself must be "
    "matched first."
)


def unmatched(collection: Sequence[Landmarks], paths: Sequence[Path]) -> str:
    """Say why landmarks are not homologous by number; empty if nothing speaks against it.

    It is told by the record of a specimen (made by `place`, `pairs` or a sampler, and not matched
    since), by a mark in one of the files, and by a note beside it.
    """
    for path in paths:
        folder = path if path.is_dir() else path.parent
        if (folder / NOTE).exists():
            return f"{folder / NOTE} says that the landmarks are not matched"
        if path.is_file() and is_marked(content_of(path)):
            return f"{path} says that its landmarks are not matched"
    alone = [each.specimen for each in collection if is_unmatched(each)]
    if alone:
        return f"{listed('Specimen', alone)}: landmarks were placed on each for itself"
    return ""


def is_untold(collection: Sequence[Landmarks]) -> bool:
    """Tell whether neither a record nor names of landmarks say that numbers are homologous."""
    return any(
        are_numbers(each.labels) and MATCHING not in each.record.request for each in collection
    )
