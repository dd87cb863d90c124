# SPDX-License-Identifier: MIT
"""Sliding landmarks from tables, from a list of numbers, and from the landmark files themselves."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.io.named_tables import numbered, read_table
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve
from gplandmark.morphometrics.semilandmarks.sliders import Sliders, sliders_along

TRIPLES = ("before", "slide", "after")
CURVES = ("curve", "landmark")
EXPECTED = (
    "a table whose first line is 'curve,landmark', with the points of each curve in order (a third "
    "column 'closed' may say yes), or 'before,slide,after' as geomorph has it"
)
YES = ("yes", "true", "1", "closed")


def read_curves(path: Path, labels: Sequence[str]) -> tuple[tuple[Curve, ...], Sliders]:
    """Read curves, and the landmarks that slide along them, from a table.

    Landmarks are given by name, or by number from 1. A table with the columns before, slide and
    after has sliders, but no curves.

    Raises
    ------
    LandmarkFileError
        The file cannot be read, or names a landmark that does not exist.
    AnalysisError
        A curve has fewer than 3 points.
    """
    rows = read_table(path, (), EXPECTED)
    header = {name.lower() for name in rows[0]}
    if set(TRIPLES) <= header:
        rows = read_table(path, TRIPLES, EXPECTED)
        triples = [[numbered(row[each], labels, path) for each in TRIPLES] for row in rows]
        return (), Sliders(np.array(triples, dtype=np.int64))
    rows = read_table(path, CURVES, EXPECTED)
    members: dict[str, list[int]] = {}
    closed: set[str] = set()
    for row in rows:
        name = row["curve"]
        members.setdefault(name, []).append(numbered(row["landmark"], labels, path))
        if row.get("closed", "").lower() in YES:
            closed.add(name)
    curves = tuple(Curve(name, tuple(own), name in closed) for name, own in members.items())
    try:
        return curves, sliders_along(curves)
    except AnalysisError as error:
        raise AnalysisError(error.reason, path) from None


def listed_landmarks(words: str, labels: Sequence[str]) -> list[int]:
    """Numbers, from 0, of landmarks in a list such as ``3,7-12,nasion``."""
    found: list[int] = []
    for word in filter(None, map(str.strip, words.split(","))):
        start, dash, end = word.partition("-")
        if word not in labels and dash and start.isdecimal() and end.isdecimal():
            first, last = (numbered(each, labels, words) for each in (start, end))
            found += range(first, last + 1)
        else:
            found.append(numbered(word, labels, words))
    return found


def stated_sliders(collection: Sequence[Landmarks]) -> tuple[tuple[Curve, ...], Sliders]:
    """Curves and sliders that landmark files state themselves.

    Landmarks of type semi that are on no curve slide over the surface; fixed ones do not slide.

    Raises
    ------
    AnalysisError
        The files state no semilandmark, or not the same on every specimen.
    """
    first = collection[0]
    for other in collection[1:]:
        if (other.curves, other.kinds) != (first.curves, first.kinds):
            raise AnalysisError(
                f"{first.specimen} and {other.specimen} do not have the same curves and "
                "semilandmarks. Name them with --curves and --surface-points of 'gplandmark slide'."
            )
    if not first.curves and "semi" not in first.kinds:
        raise AnalysisError(
            "The files do not say which landmarks slide: they have no curve and no landmark of "
            "type semi. Name them with --curves and --surface-points of 'gplandmark slide'."
        )
    fixed = {at for at, kind in enumerate(first.kinds) if kind == "fixed"}
    on_curves = {member for curve in first.curves for member in curve.members}
    free = [at for at, kind in enumerate(first.kinds) if kind == "semi" and at not in on_curves]
    return first.curves, sliders_along(first.curves, free, fixed)
