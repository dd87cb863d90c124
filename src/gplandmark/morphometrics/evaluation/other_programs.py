# SPDX-License-Identifier: MIT
"""Landmarks of other programs on the observers' specimens: assigned by name and checked."""

from collections.abc import Mapping, Sequence

import numpy as np

from gplandmark.errors import AnalysisError, LandmarkFileError, warn
from gplandmark.io.formatting import are_numbers, counted, listed
from gplandmark.landmarks import Landmarks, in_system_of
from gplandmark.landmarks.check import Change, check
from gplandmark.landmarks.on_surface import FARTHEST
from gplandmark.morphometrics.analysis.configurations import Configurations
from gplandmark.morphometrics.evaluation.observers import (
    Observed,
    distances_from_surface,
    specimen_keys,
)
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray

CLOSER = 4  # times: other units or axes that bring landmarks so much closer explain an offset


def program_landmarks(
    sample: SampleMatch, found: Observed, name: str, answers: Mapping[str, Landmarks]
) -> FloatArray:
    """Landmarks of the program `name` that correspond to the observers' landmarks, (s, k, 3).

    They are transformed to the coordinates of the scans, put into the order of the observers'
    landmarks, and are NaN where absent. What cannot be compared is omitted, with a warning.
    Landmarks far off a surface count as they are, unless other units or axes explain them.

    Raises
    ------
    AnalysisError
        No specimen has observers' landmarks, or the landmarks are others.
    LandmarkFileError
        They would lie on a surface in other units or with other axes.
    """
    given = found.given
    sets = _by_key(sample, found, name, answers)
    points = np.full(given.points.shape, np.nan)
    extra: dict[str, None] = {}
    for row, number in enumerate(found.numbers):
        if given.names[row] in sets:
            surface = sample.specimens[number].surface
            placed = in_system_of(surface, sets[given.names[row]])
            points[row] = _ordered(placed, given.labels, f"{name}: {given.names[row]}")
            extra |= dict.fromkeys(label for label in placed.labels if label not in given.labels)
    if extra:
        warn(f"{name}: omitted, without observers' landmarks: {listed('landmark', list(extra))}.")
    _warn_missing(given, name, points)
    _warn_identical(given, name, points)
    _check_surfaces(sample, found, name, points)
    return points


def _by_key(
    sample: SampleMatch, found: Observed, name: str, answers: Mapping[str, Landmarks]
) -> dict[str, Landmarks]:
    """Landmarks by the keys of specimens with observers' landmarks; warn of others."""
    observed = found.given.names
    with AnalysisError.about(name):
        keys = specimen_keys(answers, [each.name for each in sample.specimens])
    sets = {key: answers[each] for each, key in keys.items() if key in observed}
    if not sets:
        theirs = f"It has {listed('specimen', list(answers))}; " if answers else ""
        raise AnalysisError(
            f"{name} has no specimen with observers' landmarks. {theirs}observers have "
            f"{listed('specimen', list(observed))}. The names must be the same."
        )
    if strangers := [each for each in answers if each not in keys]:
        warn(f"{name}: omitted, not in the sample: {listed('specimen', strangers)}.")
    if unseen := [key for key in keys.values() if key not in observed]:
        warn(f"{name}: omitted, without observers' landmarks: {listed('specimen', unseen)}.")
    return sets


def _ordered(landmarks: Landmarks, labels: Sequence[str], where: str) -> FloatArray:
    """Points (k, 3) in the order of the observers' labels; NaN where absent."""
    if landmarks.points.shape[1] != 3:
        raise AnalysisError(f"{where} has {landmarks.points.shape[1]}D landmarks, "
                            "and observers have 3D landmarks.")  # fmt: skip
    if landmarks.labels == tuple(labels):
        return landmarks.points
    if are_numbers(landmarks.labels) and are_numbers(tuple(labels)):
        raise AnalysisError(
            f"{where} has {len(landmarks)} landmarks, and observers have {len(labels)}. Numbers "
            "do not show which ones they are; write an absent one as missing (NA)."
        )
    twice = len(set(landmarks.labels)) < len(landmarks) or len(set(labels)) < len(labels)
    if twice or not set(labels) & set(landmarks.labels):
        theirs, observed = (", ".join(map(repr, each[:3])) for each in (landmarks.labels, labels))
        raise AnalysisError(
            f"{where} calls its landmarks {theirs} and so on, and observers call theirs {observed} "
            "and so on. Each needs a name of its own, the same in both."
        )
    at = dict(zip(landmarks.labels, landmarks.points, strict=True))
    return np.array([at.get(label, np.full(3, np.nan)) for label in labels])


def _warn_missing(given: Configurations, name: str, points: FloatArray) -> None:
    """Name specimens that lack all landmarks, and those that lack some of the observers'."""
    there = ~np.isnan(points[..., 0])
    is_empty = np.array([not each.any() for each in there])
    lacking = ~there & ~given.missing & ~is_empty[:, None]
    if is_empty.any():
        warn(f"{name}: not compared, without landmarks: {_specimens(given, is_empty)}.")
    if lacking.any():
        names = _specimens(given, lacking.any(axis=1))
        warn(f"{name} lacks {lacking.sum()} of the observers' landmarks, on {names}; "
              "they are not compared.")  # fmt: skip


def _warn_identical(given: Configurations, name: str, points: FloatArray) -> None:
    """Name specimens with exactly the observers' landmarks, such as the template of a program."""
    there = ~np.isnan(points[..., 0]) & ~given.missing
    is_other = there & (points != given.points).any(axis=2)
    is_same = there.any(axis=1) & ~is_other.any(axis=1)
    if is_same.any():
        warn(f"{name}: identical to the observers' landmarks (a template?), but compared: "
              f"{_specimens(given, is_same)}.")  # fmt: skip


def _check_surfaces(sample: SampleMatch, found: Observed, name: str, points: FloatArray) -> None:
    """Refuse other units and axes; name specimens with landmarks far off the surface."""
    far = np.zeros(points.shape[:2], dtype=bool)
    for row, number in enumerate(found.numbers):
        specimen = sample.specimens[number]
        far[row] = distances_from_surface(specimen, points[row]) > FARTHEST
        mistake = _mistake(specimen, points[row]) if far[row].any() else None
        if mistake is not None:
            raise LandmarkFileError(
                f"{name}: the landmarks of {found.given.names[row]} lie off the surface. "
                f"They would fit with {mistake}."
            )
    if far.any():
        lie = f"{counted(int(far.sum()), 'landmark')} {'lies' if far.sum() == 1 else 'lie'}"
        warn(f"{name}: {lie} more than {100 * FARTHEST:g} % of sqrt(area) off the surface, on "
              f"{_specimens(found.given, far.any(axis=1))}. They count as they are.")  # fmt: skip


def _mistake(specimen: SampledSurface, points: FloatArray) -> Change | None:
    """Other units or axes that bring landmarks much closer to the surface, if there are any."""
    found = check(specimen.surface, Landmarks.at(points, specimen.name))
    change = found.mistake
    return change if change is not None and change.median < found.stated.median / CLOSER else None


def _specimens(given: Configurations, which: npt.ArrayLike) -> str:
    return listed("specimen", [given.names[row] for row in np.flatnonzero(np.asarray(which))])
