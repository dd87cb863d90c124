# SPDX-License-Identifier: MIT
"""How files say that number 7 of one specimen is not number 7 of another.

Landmarks that were placed on each specimen for itself are numbered by what they add to the
knowledge of that specimen. Their files carry the mark, where their format has room for it, so
that it is not lost with the record; a note lies beside joint files.
"""

from collections.abc import Sequence
from dataclasses import replace

from gplandmark.landmarks import Landmarks

__all__ = [
    "MATCHING",
    "NOTE",
    "NOT_HOMOLOGOUS",
    "SHORT",
    "is_marked",
    "is_unmatched",
    "marked",
    "with_mark",
]

NOTE = "not-matched.txt"  # lies beside joint files of landmarks that were placed one by one
NOT_HOMOLOGOUS = (
    "These landmarks are not matched: number 7 of one specimen is not number 7 of another. "
    "Do not superimpose specimens by them (Procrustes) before they are matched."
)
SHORT = "not matched across specimens: no Procrustes yet"
MARKS = ("landmarks are not matched", "not matched across specimens")
"""Words of the two sentences by which a file is known."""
MATCHING = "matching"  # key of `Record.request` under which matched landmarks tell how


def is_unmatched(landmarks: Landmarks) -> bool:
    """Tell whether landmarks were placed on their specimen for itself, and not matched since.

    Their record says so (`place`, `pairs`, a sampler), or that they come from a marked file.
    """
    record = landmarks.record
    alone = "preset" in record.settings or NOT_HOMOLOGOUS in record.warnings
    return alone and MATCHING not in record.request


def is_marked(content: str) -> bool:
    """Tell whether the text of a file has such a mark."""
    return any(mark in content for mark in MARKS)


def marked(content: str, ending: str) -> str:
    """Say in a file that numbers do not match, where the readers of its format allow it."""
    if ending == ".nts":
        return f'"{NOT_HOMOLOGOUS}\n{content}'
    if ending == ".dta":
        return f"'{NOT_HOMOLOGOUS}\n{content}"
    if ending == ".tps":  # geomorph drops a COMMENT; it holds no key of TPS
        return content.replace("\nID=", f"\nCOMMENT={NOT_HOMOLOGOUS}\nID=")
    if ending == ".txt":  # a line in quotation marks opens each specimen, whatever it says
        return content.replace("\n'#1\n", f"\n'#1 {SHORT}\n")
    return content


def with_mark(collection: Sequence[Landmarks], content: str) -> tuple[Landmarks, ...]:
    """Landmarks that remember the mark of their file, so that other files get it, too."""
    if not is_marked(content):
        return tuple(collection)
    return tuple(
        each
        if is_unmatched(each) or NOT_HOMOLOGOUS in each.record.warnings
        else replace(
            each, record=replace(each.record, warnings=(*each.record.warnings, NOT_HOMOLOGOUS))
        )
        for each in collection
    )
