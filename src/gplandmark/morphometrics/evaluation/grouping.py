# SPDX-License-Identifier: MIT
"""Whether the maps of a sample see groups as well as people's own landmarks do."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from gplandmark.errors import AnalysisError, GplandmarkWarning
from gplandmark.io.formatting import listed
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import (
    Classification,
    Mrpp,
    align,
    mrpp,
    nearest_neighbour,
    procrustes_distances,
)
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Grouping", "groupings"]

PERMUTATIONS = 999
FEWEST = 3  # matched landmarks by which a specimen can be compared


@dataclass(frozen=True, eq=False)
class Grouping:
    """What distances of one kind say about groups.

    Attributes
    ----------
    by : the kind
    names : of the specimens
    classification : by nearest neighbours, each left out in turn
    test : multi-response permutation procedure; None without two groups of two
    """

    by: str
    names: tuple[str, ...]
    classification: Classification
    test: Mrpp | None


def groupings(
    distances: FloatArray,
    observed: Sequence[Landmarks],
    matched: Sequence[Landmarks],
    groups: Sequence[str | None],
) -> tuple[Grouping, ...]:
    """What the same specimens' groups look like by three kinds of distance.

    By the distances (s, s) of the surfaces that matching found; by Procrustes distances of the
    matched landmarks, if there are any; and by those of the observers' landmarks. Mirror images
    count as equal. What cannot be compared is left out, with a warning.
    """
    names = [each.specimen for each in observed]
    told = dict(zip(names, groups, strict=True))
    tables = {"surfaces": (tuple(names), distances)}
    if matched:
        tables |= _by_landmarks("matched landmarks", _comparable(matched, names))
    tables |= _by_landmarks("observers' landmarks", observed)
    found = []
    for by, (kept, table) in tables.items():
        try:
            found.append(_grouping(by, kept, table, [told[name] for name in kept]))
        except AnalysisError as error:
            _warn(f"By {by}: {error}")
    return tuple(found)


def _grouping(
    by: str, names: tuple[str, ...], distances: FloatArray, groups: Sequence[str | None]
) -> Grouping:
    found = nearest_neighbour(distances, groups)
    try:
        test = mrpp(distances, groups, PERMUTATIONS)
    except AnalysisError:
        test = None
    return Grouping(by, names, found, test)


def _by_landmarks(
    by: str, collection: Sequence[Landmarks]
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    """Names and Procrustes distances (s, s), mirror images allowed; nothing if there are none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)  # said before, or of no weight here
            aligned = align(collection, reflect=True)
    except AnalysisError as error:
        _warn(f"The {by} cannot be compared: {error}")
        return {}
    return {by: (aligned.names, procrustes_distances(aligned))}


def _comparable(matched: Sequence[Landmarks], names: Sequence[str]) -> list[Landmarks]:
    """Matched landmarks of the named specimens, in their order, that are enough to compare by."""
    known = {each.specimen: each for each in matched if (~each.missing).sum() >= FEWEST}
    without = [name for name in names if name not in known]
    if without:
        _warn(f"Not classified by matched landmarks, which are too few: "
              f"{listed('specimen', without)}.")  # fmt: skip
    return [known[name] for name in names if name in known]


def _warn(sentence: str) -> None:
    warnings.warn(sentence, GplandmarkWarning, stacklevel=3)
