# SPDX-License-Identifier: MIT
"""Numbers that stand for a missing landmark although no format defines them: -999, 9999, 0 0 0.

A landmark is suspected if all its coordinates are the same number. Whether it is a code or a place
is decided by the other landmarks of the specimen: a code lies far from them. 0 0 0 may well be a
landmark of a centred specimen, and then lies among them; it is kept, and said. If all landmarks lie
in a plane such as z = 0, the other coordinates decide.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import abbreviated, counted, digits
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.numerics.arrays import BoolArray, FloatArray

Codes = tuple[float, ...] | None
"""Numbers that mean a missing landmark: none if empty; None if they are to be found."""

CUSTOMARY = (-9.0, -99.0, 99.0, -999.0, 999.0, -9999.0, 9999.0, -99999.0, 99999.0, -32768.0)
LARGE = 999.0  # from here on a customary code in a single coordinate is suspect, too
FAR = 0.5  # distance from the box of the other landmarks, in diagonals of it: surely a code
DOUBTFUL = 0.1  # the same: perhaps a code
OVERRIDE = "gplandmark convert --missing"


@dataclass(frozen=True, eq=False)
class ReadFile:
    """The landmarks of a file as they were read.

    Attributes
    ----------
    path : of the file
    landmarks : of its specimens
    recorded : whose record has the same points. They are as gplandmark wrote them, and are searched
        for given codes only
    negative_codes : whether equal negative numbers mean a missing landmark where all others are
        positive, as -1 -1 -1 in TPS
    """

    path: Path
    landmarks: Sequence[Landmarks]
    recorded: Sequence[bool]
    negative_codes: bool = False


def without_codes(files: Sequence[ReadFile], codes: Codes = None) -> tuple[Landmarks, ...]:
    """Landmarks of all files, in which those that are only codes are missing; warnings name them.

    `codes` are numbers that mean a missing landmark if all coordinates have them. By default they
    are found.

    Raises
    ------
    LandmarkFileError
        A landmark has a code in some coordinates only.
    """
    found: list[Landmarks] = []
    taken: dict[str, list[str]] = {}
    doubtful: dict[str, list[str]] = {}
    for file in files:
        for each, is_recorded in zip(file.landmarks, file.recorded, strict=True):
            found.append(each)
            if each.points.shape[1] < 2 or (codes is None and is_recorded):
                continue
            with LandmarkFileError.about(file.path):
                coded, unsure = _judged(each, codes, file.negative_codes)
            if coded.any():
                _describe(each, coded, taken)
                found[-1] = _with_missing(each, coded)
            if unsure.any():
                _describe(each, unsure, doubtful)
    if codes is None:
        _warn(taken, doubtful)
    return tuple(found)


def _judged(each: Landmarks, codes: Codes, negative: bool) -> tuple[BoolArray, BoolArray]:
    """Which landmarks are codes, and which are kept although they may be codes."""
    points = _in_their_plane(each.points)
    equal = np.asarray((points == points[:, :1]).all(axis=1))
    if codes is not None:
        _check_complete(each, points, np.isin(points, codes), equal, lambda _: True)
        return equal & np.isin(points[:, 0], codes), np.zeros(len(points), dtype=bool)
    coded, unsure = np.zeros((2, len(points)), dtype=bool)
    customary = np.isin(points, CUSTOMARY)
    if not (equal.any() or customary.any()):
        return coded, unsure
    others = points[~equal & ~customary.any(axis=1) & ~each.missing]
    box, size = _box(others)
    large = customary & ((np.abs(points) >= LARGE) | (customary.sum(axis=1) > 1)[:, None])
    _check_complete(each, points, large, equal, lambda point: _outside(point, box) > size > 0)
    positive = negative and len(others) > 0 and bool((others >= 0).all())
    for number in np.unique(points[equal, 0]).tolist():
        here = equal & (points[:, 0] == number)
        known = number in CUSTOMARY
        repeats = here.sum() > 1 and (known or number == 0)
        distance = _outside(points[here][0], box)
        if repeats or (positive and number < 0) or (known and not size) or distance > FAR * size:
            coded |= here
        elif known or number == 0 or distance > DOUBTFUL * size or (number == -1 and distance > 0):
            unsure |= here
    return coded, unsure


def _in_their_plane(points: FloatArray) -> FloatArray:
    """The points without coordinates that are the same for all, as long as two are left."""
    there = points[~np.isnan(points).any(axis=1)]
    varies = (there != there[:1]).any(axis=0)
    return points[:, varies] if varies.sum() >= 2 else points


def _box(points: FloatArray) -> tuple[FloatArray, float]:
    """Lowest and highest coordinates (2, d), and the diagonal; infinite and 0 without two points.

    Nothing lies outside of an infinite box.
    """
    if len(points) < 2:
        return np.array([[-np.inf], [np.inf]]), 0.0
    box = np.array([points.min(axis=0), points.max(axis=0)])
    with np.errstate(over="ignore"):
        return box, float(np.linalg.norm(box[1] - box[0]))


def _outside(point: FloatArray, box: FloatArray) -> float:
    """Distance of a point from a box; 0 inside."""
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(np.maximum(np.maximum(box[0] - point, point - box[1]), 0)))


def _check_complete(
    each: Landmarks, points: FloatArray, coded: BoolArray, equal: BoolArray,
    is_code: Callable[[FloatArray], bool],
) -> None:  # fmt: skip
    """Refuse a landmark that has a code in some of its coordinates only."""
    for place in np.flatnonzero(coded.any(axis=1) & ~equal):
        point = points[place]
        if is_code(point):
            raise LandmarkFileError(
                f"landmark {each.labels[place]} of {each.specimen} has "
                f"{point[coded[place]][0]:g}, a code for a missing landmark, in some coordinates "
                f"only. Write NA in all of them. If it is a coordinate: {OVERRIDE} none."
            )


def _describe(each: Landmarks, mask: BoolArray, names: dict[str, list[str]]) -> None:
    """Add the specimen and its landmarks to the names by the code that they have."""
    for point in np.unique(each.points[mask], axis=0):
        here = np.flatnonzero(mask & (each.points == point).all(axis=1))
        code = " ".join(digits(number + 0.0).removesuffix(".0") for number in point.tolist())
        labels = abbreviated([each.labels[place] for place in here])
        names.setdefault(code, []).append(f"{each.specimen} ({labels})")


def _with_missing(each: Landmarks, coded: BoolArray) -> Landmarks:
    """The same landmarks, some of them missing."""
    return replace(
        each,
        points=np.where(coded[:, None], np.nan, each.points),
        vertices=np.where(coded, UNKNOWN_VERTEX, each.vertices),
    )


def _warn(taken: dict[str, list[str]], doubtful: dict[str, list[str]]) -> None:
    """Name codes, and the landmarks that have them."""
    for code, names in taken.items():
        warn(
            f"Landmarks at {code} are taken as missing, on {counted(len(names), 'specimen')}: "
            f"{abbreviated(names)}. If they are places: {OVERRIDE} none.",
            stacklevel=5,
        )
    for code, names in doubtful.items():
        number = Counter(code.split()).most_common(1)[0][0]  # without that of their plane
        warn(
            f"Landmarks at {code} are kept, on {counted(len(names), 'specimen')}: "
            f"{abbreviated(names)}. If they are missing: {OVERRIDE} {number}.",
            stacklevel=5,
        )
