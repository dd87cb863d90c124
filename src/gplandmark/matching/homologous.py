# SPDX-License-Identifier: MIT
"""The landmarks of one specimen on every other."""

from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.describing import describe_input, software_versions
from gplandmark.matching.carrying import LEAST
from gplandmark.matching.routes import Route
from gplandmark.matching.sample import SampleMatch

__all__ = ["carry_landmarks", "landmarks_over"]


def carry_landmarks(
    sample: SampleMatch, landmarks: Landmarks, *, source: int | None = None, least: float = LEAST
) -> tuple[Landmarks, ...]:
    """The landmarks of one specimen on every specimen, in its file's units and pose.

    Number and name of a landmark mean the same place everywhere. The record of each tells where
    they came from, under `request` and `matching`, and every confidence.

    Parameters
    ----------
    landmarks : placed on the source, by the method or by a person
    source : by default the reference
    least : landmarks of a lower confidence are missing there: their points are NaN
    """
    start = sample.reference if source is None else source
    routes = (sample.route(start, end) for end in range(len(sample)))
    return tuple(landmarks_over(route, landmarks, len(sample), least=least) for route in routes)


def landmarks_over(
    route: Route, landmarks: Landmarks, specimens: int, *, least: float = LEAST
) -> Landmarks:
    """The landmarks of the first specimen of a route on its last, out of so many specimens."""
    known = ~landmarks.missing
    carried = route.carry(landmarks.points[known])
    every = np.full(len(landmarks), np.nan)
    every[known] = carried.confidence
    matching = {
        "from": route.start.name,
        "over": list(route.over),
        "specimens": specimens,
        "least_confidence": least,
    }
    record = _record(route, landmarks, matching, every)
    if not route.chain:
        return replace(landmarks, specimen=route.end.name, record=record)
    points = np.full(landmarks.points.shape, np.nan)
    points[known] = carried.kept(least)
    return Landmarks.at(
        points, route.end.name, labels=landmarks.labels, classes=landmarks.classes,
        kinds=landmarks.kinds, record=record, system=route.end.surface.system,
    )  # fmt: skip


def _record(
    route: Route, landmarks: Landmarks, matching: dict[str, Any], confidence: FloatArray
) -> Record:
    """What made the landmarks of one specimen, ready for JSON."""
    outcome = {
        "mirrored": route.mirrored,
        "confidence": [None if np.isnan(each) else round(float(each), 4) for each in confidence],
    }
    made = landmarks.record
    return Record(
        describe_input(route.end.surface),
        made.settings,
        {**made.request, "matching": matching},
        {**made.outcome, **outcome},
        made.warnings,
        software_versions(),
    )
