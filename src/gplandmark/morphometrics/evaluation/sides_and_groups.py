# SPDX-License-Identifier: MIT
"""Whether matching finds the same sides and groups as the landmarks of observers."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, GplandmarkWarning, warn
from gplandmark.io.formatting import listed
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import (
    Classification,
    Mrpp,
    generalised_procrustes,
    mrpp,
    nearest_neighbour,
    procrustes_distances,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray

PERMUTATIONS = 999
FEWEST = 3  # matched landmarks by which a specimen can be compared
BETTER = 0.5  # ratio of the sums of squares of both sides, below which the side is certain
FLAT = 0.02  # thickness over length, below which landmarks fit their mirror image by chance
ROUNDING = 1e-12  # of the sum of squares: planar landmarks have no side


@dataclass(frozen=True, eq=False)
class Grouping:
    """Group statistics of one kind of distance.

    Attributes
    ----------
    by : the kind of distance
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
    """Group statistics of the same specimens by up to three kinds of distance.

    - the distances (s, s) between surfaces that matching found
    - Procrustes distances of the matched landmarks, if there are any
    - Procrustes distances of the observers' landmarks

    Mirror images count as equal. What cannot be compared is omitted, with a warning.
    """
    names = [each.specimen for each in observed]
    known = dict(zip(names, groups, strict=True))
    tables = {"surfaces": (tuple(names), distances)}
    if matched:
        tables |= _by_landmarks("matched landmarks", _comparable(matched, names))
    tables |= _by_landmarks("observers' landmarks", observed)
    found = []
    for by, (kept, table) in tables.items():
        try:
            found.append(_grouping(by, kept, table, [known[name] for name in kept]))
        except AnalysisError as error:
            warn(f"By {by}: {error}")
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
    """Names and Procrustes distances (s, s), reflections allowed; empty if they fail."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)  # given before, or irrelevant here
            aligned = generalised_procrustes(collection, reflect=True)
    except AnalysisError as error:
        warn(f"The {by} cannot be compared: {error}")
        return {}
    return {by: (aligned.names, procrustes_distances(aligned))}


def _comparable(matched: Sequence[Landmarks], names: Sequence[str]) -> list[Landmarks]:
    """Matched landmarks of the named specimens, in their order, with at least 3 landmarks."""
    known = {each.specimen: each for each in matched if (~each.missing).sum() >= FEWEST}
    if without := [name for name in names if name not in known]:
        warn(f"Not classified by matched landmarks, which are too few: "
              f"{listed('specimen', without)}.")  # fmt: skip
    return [known[name] for name in names if name in known]


@dataclass(frozen=True, eq=False)
class Sides:
    """Left and right of s specimens, by the maps and by the observers' landmarks.

    Attributes
    ----------
    found : (s,) which are mirror images of the reference by the maps
    observed : (s,) which are mirror images of the observers' mean shape
    certain : (s,) for which the observers' landmarks determine the side
    """

    found: BoolArray
    observed: BoolArray
    certain: BoolArray

    @property
    def agree(self) -> BoolArray:
        """Which of the certain ones agree, (s,).

        Which side is called mirrored is arbitrary in both, so that the majority agrees by
        definition. If both are equally many, those that agree with the first specimen do.
        """
        same = self.found == self.observed
        votes = same[self.certain]
        ahead = 2 * int(votes.sum()) - len(votes)
        if ahead < 0 or (ahead == 0 and not votes[:1].all()):
            same = ~same
        return np.asarray(same & self.certain)


def sides(collection: Sequence[Landmarks], found: BoolArray) -> Sides:
    """Compare the sides (s,) that the maps found with those of the observers' landmarks.

    Each specimen X is superimposed on the mean shape C by a rotation and by a reflection. With
    X^T C = U S V^T, both of centroid size 1, the sums of squares are 2 - 2 (s_1 + s_2 +- s_3), with
    the sign of det(U V^T) for the rotation. The side is certain if the smaller one is at most half
    of the other. Nearly planar landmarks do not determine a side.
    """
    mean = generalised_procrustes(collection, reflect=True).consensus
    observed, certain = np.zeros((2, len(collection)), dtype=bool)
    for row, landmarks in enumerate(collection):
        known = ~landmarks.missing
        shape, onto = _of_size_one(landmarks.points[known]), _of_size_one(mean[known])
        left, values, right = np.linalg.svd(shape.T @ onto)
        observed[row] = np.linalg.det(left @ right) < 0
        better, other = 1 - values.sum(), 1 - values[0] - values[1] + values[2]
        is_flat = values[2] < FLAT**2 * values[0]
        certain[row] = better < BETTER * other - ROUNDING and not is_flat
    return Sides(found, observed, certain)


def _of_size_one(points: FloatArray) -> FloatArray:
    centred = points - points.mean(axis=0)
    return np.asarray(centred / np.linalg.norm(centred))
