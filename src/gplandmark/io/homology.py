# SPDX-License-Identifier: MIT
"""Whether landmark number 7 is the same place on every specimen, and how files say that it is not.

Landmarks that were placed on each specimen independently are numbered by how much they reduce the
variance there. Their numbers do not correspond across specimens, and a superimposition by them
has no meaning. The record says so; so does a mark in the file, where its format has one, so that
it is not lost with the record. A note lies beside joint files.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gplandmark.io.files import content_of
from gplandmark.io.formatting import are_numbers, listed
from gplandmark.landmarks import Landmarks

NOTE = "not-matched.txt"  # lies beside joint files of landmarks that were placed one by one
NOT_HOMOLOGOUS = (
    "These landmarks are not matched: number 7 of one specimen is not number 7 of another. "
    "Do not superimpose specimens by them (Procrustes) before they are matched."
)
SHORT = "not matched across specimens: no Procrustes yet"
MARKS = ("landmarks are not matched", "not matched across specimens")
"""Parts of the two sentences by which a marked file is recognised."""
MATCHING = "matching"  # key of `Record.request` under which matched landmarks say how


def is_unmatched(landmarks: Landmarks) -> bool:
    """Tell whether landmarks were placed on each specimen independently, and not matched since.

    Their record says so (`place`, `pairs`, a sampler), or that they come from a marked file.
    """
    record = landmarks.record
    alone = "preset" in record.settings or NOT_HOMOLOGOUS in record.warnings
    return alone and MATCHING not in record.request


def is_marked(content: str) -> bool:
    """Tell whether the text of a file has such a mark."""
    return any(mark in content for mark in MARKS)


def mark_for(collection: Sequence[Landmarks]) -> str:
    """The sentence for a file of these landmarks, where its format has comments; may be empty."""
    return NOT_HOMOLOGOUS if any(map(is_unmatched, collection)) else ""


def as_unmatched(collection: Sequence[Landmarks]) -> tuple[Landmarks, ...]:
    """Landmarks whose records say that they are not matched, so that every file gets the mark."""
    return tuple(
        each
        if is_unmatched(each) or NOT_HOMOLOGOUS in each.record.warnings
        else replace(
            each, record=replace(each.record, warnings=(*each.record.warnings, NOT_HOMOLOGOUS))
        )
        for each in collection
    )


def with_mark(collection: Sequence[Landmarks], content: str) -> tuple[Landmarks, ...]:
    """Landmarks that remember the mark of their file, so that other files get it, too."""
    return as_unmatched(collection) if is_marked(content) else tuple(collection)


HOMOLOGY_UNKNOWN = (
    "Nothing shows whether landmark number k is the same point on every specimen. Results are "
    "meaningful only if it is. Landmarks that were placed on each specimen independently must be "
    "matched first."
)


def why_not_homologous(collection: Sequence[Landmarks], paths: Sequence[Path]) -> str:
    """Say why landmarks with the same number are not homologous; empty if no reason is known.

    Reasons are the record of a specimen (made by `place`, `pairs` or a sampler, and not matched
    since), a mark in one of the files, and a note beside it.
    """
    for path in paths:
        folder = path if path.is_dir() else path.parent
        if (folder / NOTE).exists():
            return f"{folder / NOTE} says that the landmarks are not matched"
        if path.is_file() and is_marked(content_of(path)):
            return f"{path} says that its landmarks are not matched"
    alone = [each.specimen for each in collection if is_unmatched(each)]
    if alone:
        return f"{listed('Specimen', alone)}: landmarks were placed on each independently"
    return ""


def is_carried(landmarks: Landmarks) -> bool:
    """Whether gplandmark carried or predicted landmarks; a person may have edited them since."""
    record = landmarks.record
    return MATCHING in record.request and not record.outcome.get("expert")


def is_untouched(landmarks: Landmarks) -> bool:
    """Whether gplandmark carried or predicted landmarks that nobody has edited."""
    return is_carried(landmarks) and not landmarks.record.request.get("edits")


def is_homology_unknown(collection: Sequence[Landmarks]) -> bool:
    """Whether neither a record nor names of landmarks show that numbers are homologous."""
    return any(
        are_numbers(each.labels) and MATCHING not in each.record.request for each in collection
    )
