# SPDX-License-Identifier: MIT
"""Landmark configurations of many specimens as one array, once checked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.formatting import abbreviated, are_numbers, listed
from gplandmark.landmarks import Landmarks
from gplandmark.numerics.arrays import BoolArray, FloatArray

FEWEST = 3  # landmarks that determine a rotation
RESAMPLE = "'gplandmark convert --resample-curves' gives curves the same number of points."
STRAIGHT = 1e-8  # ratio of singular values below which landmarks lie on one line


@dataclass(frozen=True, eq=False)
class Configurations:
    """Configurations of k homologous landmarks on s specimens.

    Attributes
    ----------
    names : of the specimens
    labels : of the landmarks
    points : (s, k, 3) in the coordinates of each specimen's file; NaN where missing
    missing : (s, k) which landmarks are NaN
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    points: FloatArray
    missing: BoolArray


def configurations(collection: Sequence[Landmarks]) -> Configurations:
    """Check that every specimen has the same landmarks, and put them into one array.

    As `same_landmarks`, of two or more specimens.

    Raises
    ------
    AnalysisError
        As of `same_landmarks`, or a specimen has fewer than 3 landmarks or all on one line.
    """
    found = same_landmarks(collection)
    check_spread(found)
    return found


def same_landmarks(collection: Sequence[Landmarks], fewest: int = 2) -> Configurations:
    """Landmarks of at least `fewest` specimens that all have the same ones, in one array.

    Specimens without any landmark, and landmarks that no specimen has, are omitted with a warning.
    Landmarks with the same names in another order are put into the order of the first specimen.

    Raises
    ------
    AnalysisError
        Fewer specimens, two of one name, different numbers or names of landmarks, or landmarks
        that are not 3D.
    """
    _check_names(collection)
    if empty := [each.specimen for each in collection if each.missing.all()]:
        warn(f"Without any landmark, and left out: {listed('specimen', empty)}.")
    kept = [each for each in collection if not each.missing.all()]
    if len(kept) < fewest:
        least = "two specimens" if fewest == 2 else "one specimen"
        raise AnalysisError(
            f"At least {least} with landmarks are needed to compare shapes, got {len(kept)}. "
            "Name a folder or a file with more of them."
        )
    points = np.stack([_ordered(each, kept[0]) for each in kept])
    present = ~np.isnan(points).any(axis=2).all(axis=0)
    if not present.all():
        gone = [kept[0].labels[number] for number in np.flatnonzero(~present)]
        warn(f"On no specimen, and left out: {listed('landmark', gone)}.")
    points = points[:, present]
    names = tuple(each.specimen for each in kept)
    labels = tuple(kept[0].labels[number] for number in np.flatnonzero(present))
    return Configurations(names, labels, points, np.asarray(np.isnan(points).any(axis=2)))


def repeated(names: Iterable[str]) -> list[str]:
    """Names that occur several times."""
    return [name for name, count in Counter(names).items() if count > 1]


def _check_names(collection: Sequence[Landmarks]) -> None:
    if twice := repeated(each.specimen for each in collection):
        raise AnalysisError(
            f"Several specimens have the same name: {', '.join(twice[:12])}. "
            "Give each a name of its own."
        )
    for each in collection:
        if each.points.shape[1] != 3:
            raise AnalysisError(
                f"{each.specimen} has {each.points.shape[1]}D landmarks; shapes are compared in 3D."
            )


def _ordered(landmarks: Landmarks, first: Landmarks) -> FloatArray:
    """Points in the order of the labels of the first specimen."""
    if len(landmarks) != len(first):
        raise AnalysisError(
            f"{first.specimen} has {len(first)} landmarks and {landmarks.specimen} has "
            f"{len(landmarks)}{_lacking(landmarks, first)}. Every specimen needs the same ones; "
            "write an absent one as missing: a row with its name, and NA for its coordinates."
            + (" " + RESAMPLE if landmarks.curves or first.curves else "")
        )
    if landmarks.labels == first.labels:
        return landmarks.points
    others = sorted(set(landmarks.labels) ^ set(first.labels))
    if others or len(set(first.labels)) < len(first):
        place = next(
            at for at, pair in enumerate(zip(first.labels, landmarks.labels, strict=True))
            if pair[0] != pair[1]
        )  # fmt: skip
        raise AnalysisError(
            f"Landmark {place + 1} is called '{first.labels[place]}' on {first.specimen} and "
            f"'{landmarks.labels[place]}' on {landmarks.specimen}. Names must be the same on "
            "every specimen."
        )
    warn(f"{landmarks.specimen}: landmarks are put into the order of {first.specimen}, by name.")
    where = {label: at for at, label in enumerate(landmarks.labels)}
    return landmarks.points[[where[label] for label in first.labels]]


def _lacking(one: Landmarks, other: Landmarks) -> str:
    """Names that one of two specimens lacks, in parentheses; empty where numbers are the names."""
    if are_numbers(one.labels) or are_numbers(other.labels):
        return ""
    less, more = sorted((one, other), key=len)
    gone = [label for label in more.labels if label not in less.labels]
    return f" ({less.specimen} has no {abbreviated(gone)})" if gone else ""


def check_spread(given: Configurations) -> None:
    """Refuse landmarks that do not determine a rotation of each specimen."""
    for name, shape, absent in zip(given.names, given.points, given.missing, strict=True):
        _check_spread(name, shape[~absent])


def _check_spread(name: str, points: FloatArray) -> None:
    """Refuse landmarks that do not determine a rotation."""
    if len(points) < FEWEST:
        raise AnalysisError(
            f"{name} has {len(points)} of the landmarks, and at least {FEWEST} are needed. "
            "Leave the specimen out."
        )
    spreads = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if not spreads[1] > STRAIGHT * max(spreads[0], np.abs(points).max() * 1e-4):
        raise AnalysisError(
            f"The landmarks of {name} lie on one line or in one place, so that its orientation "
            "is unknown. Leave the specimen out, or add landmarks."
        )
