# SPDX-License-Identifier: MIT
"""The landmarks of one specimen on every other."""

from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.record import describe_input, software_versions
from gplandmark.morphometrics.matching.carry import LEAST, Route
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.numerics.arrays import BoolArray, FloatArray

__all__ = ["carry_landmarks", "landmarks_over"]


def carry_landmarks(
    sample: SampleMatch,
    landmarks: Landmarks,
    *,
    source: int | None = None,
    least: float = LEAST,
    on_surface: bool = False,
) -> tuple[Landmarks, ...]:
    """The landmarks of one specimen on every specimen, in its file's units and pose.

    Number and name of a landmark mean the same place everywhere. The record of each tells where
    they came from, under `request` and `matching`, and the expected error, the radius of 90 % and
    the confidence of each.

    Parameters
    ----------
    landmarks : placed on the source, by the method or by a person
    source : by default the reference
    least : landmarks of a lower confidence are missing there: their points are NaN
    on_surface : let all lie on the surface; else those that lie off it keep their offset
    """
    start = sample.reference if source is None else source
    routes = (sample.route(start, end) for end in range(len(sample)))
    return tuple(
        landmarks_over(route, landmarks, len(sample), least=least, on_surface=on_surface)
        for route in routes
    )


def landmarks_over(
    route: Route,
    landmarks: Landmarks,
    specimens: int,
    *,
    least: float = LEAST,
    on_surface: bool = False,
) -> Landmarks:
    """The landmarks of the first specimen of a route on its last, out of so many specimens."""
    known = ~landmarks.missing
    carried = route.carry(landmarks.points[known], on_surface=on_surface)
    matching = {
        "from": route.start.name,
        "over": list(route.over),
        "specimens": specimens,
        "least_confidence": least,
    }
    outcome = {
        "mirrored": route.mirrored,
        "confidence": _listed(carried.confidence, known, 4),
        "expected_error": _listed(carried.error, known, None),
        "radius_90": _listed(carried.radius, known, None),
    }
    record = _record(route, landmarks.record, matching, outcome)
    if not route.chains:
        return replace(landmarks, specimen=route.end.name, record=record)
    points = np.full(landmarks.points.shape, np.nan)
    points[known] = carried.kept(least)
    return Landmarks.at(
        points, route.end.name, labels=landmarks.labels, classes=landmarks.classes,
        kinds=landmarks.kinds, record=record, system=route.end.surface.system,
    )  # fmt: skip


def _listed(values: FloatArray, known: BoolArray, digits: int | None) -> list[float | None]:
    """A value for each landmark, None where it is not known; to so many decimals, or 4 digits."""
    found = iter(values.tolist())
    return [None if not each else _rounded(next(found), digits) for each in known]


def _rounded(value: float, digits: int | None) -> float:
    return round(value, digits) if digits is not None else float(f"{value:.4g}")


def _record(
    route: Route, made: Record, matching: dict[str, Any], outcome: dict[str, Any]
) -> Record:
    """What made the landmarks of one specimen, ready for JSON."""
    return Record(
        describe_input(route.end.surface),
        made.settings,
        {**made.request, "matching": matching},
        {**made.outcome, **outcome},
        made.warnings,
        software_versions(),
    )
