# SPDX-License-Identifier: MIT
"""Landmarks whose curves have a given number of points, at equal distances."""

from dataclasses import replace

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks.curves import Curve, resampled
from gplandmark.landmarks.landmarks import Landmarks


def resample_curves(landmarks: Landmarks, count: int) -> Landmarks:
    """Return the landmarks with `count` points on each curve, its ends included.

    The ends of open curves and the first point of closed ones stay, with their names. The points
    between are replaced by points at equal distances along the curve, called after it. Curves
    drawn with different numbers of points on different specimens thus become comparable.

    Raises
    ------
    LandmarkFileError
        There is no curve, a point is missing, a point between the ends is on another curve, or a
        curve has too few points.
    """
    if not landmarks.curves:
        raise LandmarkFileError(f"{landmarks.specimen} has no curve to resample.")
    ends = {member for curve in landmarks.curves for member in _ends(curve)}
    between = [m for curve in landmarks.curves for m in curve.members if m not in _ends(curve)]
    if len(set(between)) < len(between) or ends & set(between):
        raise LandmarkFileError(
            f"{landmarks.specimen}: two curves meet between their ends. Divide them there."
        )
    kept = [number for number in range(len(landmarks)) if number not in set(between)]
    place = {old: new for new, old in enumerate(kept)}
    rest = replace(landmarks, curves=()).chosen(kept)
    points, labels, curves = [rest.points], list(rest.labels), []
    kinds = list(rest.kinds or ("fixed",) * len(rest))
    for curve in landmarks.curves:
        with LandmarkFileError.about(f"{landmarks.specimen}, curve {curve.name}"):
            along = resampled(
                landmarks.points[list(curve.members)], count, is_closed=curve.is_closed
            )
        inner = along[1:] if curve.is_closed else along[1:-1]
        new = range(len(labels), len(labels) + len(inner))
        first, *last = (place[member] for member in _ends(curve))
        curves.append(Curve(curve.name, (first, *new, *last), curve.is_closed))
        points.append(inner)
        labels += [f"{curve.name}-{number + 2}" for number in range(len(inner))]
        kinds += ["semi"] * len(inner)
    return Landmarks.at(
        np.vstack(points),
        landmarks.specimen,
        labels=tuple(labels),
        kinds=tuple(kinds),
        record=landmarks.record,
        system=landmarks.system,
        curves=tuple(curves),
    )


def _ends(curve: Curve) -> tuple[int, ...]:
    return curve.members[:1] if curve.is_closed else (curve.members[0], curve.members[-1])
