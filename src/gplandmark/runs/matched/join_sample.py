# SPDX-License-Identifier: MIT
"""Specimens become a sample; those of an earlier run stay where they are."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from gplandmark.io.formatting import counted
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.runs.matched.membership import Books, read_books, write_books
from gplandmark.runs.matched.open_sample import grown
from gplandmark.runs.matched.read_scans import Readings
from gplandmark.runs.matched.run_jobs import Workshop

__all__ = ["joined"]


def joined(
    readings: Readings,
    output: Path,
    shop: Workshop,
    *,
    reference: str | None = None,
    reflections: bool = True,
    anew: bool = False,
) -> tuple[SampleMatch, tuple[str, ...]]:
    """Match all that could be read, and keep in the books who they are.

    Specimens that an earlier run into the same folder did not have are added to its own. Where one
    of those has gone or changed, where something else is asked for, or with `anew`, all are
    matched anew. The sentences that come back say what was decided.
    """
    marks, now = readings.marks(), version("gplandmark")
    books = None if anew else read_books(output)
    note = "" if books is None else _against(books, marks, reference, reflections)
    books = None if note else books
    sample = grown(
        readings.specimens(), books, shop.values, reference=reference, reflections=reflections
    )
    names = [each.name for each in sample.specimens]
    if books is not None and len(names) > len(books.members):
        note = (
            f"{counted(len(names) - len(books.members), 'specimen')} added to the "
            f"{len(books.members)} matched before, which stay where they are; --overwrite matches "
            "all anew."
        )
    if books is not None and books.version != now:
        note = f"Version {now} computed anew what version {books.version} had. {note}".rstrip()
    kept = readings.kept()
    write_books(
        output,
        Books(
            names[sample.reference],
            {name: marks[name] for name in names},
            {name: kept[name] for name in names},
            sample.together,
            sample.reflections,
            now,
        ),
    )
    return sample, (note,) if note else ()


def _against(
    books: Books, marks: Mapping[str, str], reference: str | None, reflections: bool
) -> str:
    """Say why an earlier sample cannot be grown; empty if it can."""
    if gone := books.gone(marks):
        others = f" (and {len(gone) - 1} more)" if len(gone) > 1 else ""
        return (
            f"All were matched anew: {gone[0]}{others}, matched before, is no longer there, has "
            "changed, or is cleaned in another way."
        )
    if reference not in (None, books.reference):
        return (
            f"All were matched anew: the reference was {books.reference} before, and is "
            f"{reference} now."
        )
    if reflections != books.reflections:
        return "All were matched anew: whether specimens may be mirror images was asked otherwise."
    return ""
