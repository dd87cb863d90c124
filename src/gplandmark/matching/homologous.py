# SPDX-License-Identifier: MIT
"""The landmarks of one specimen on every other."""

from dataclasses import replace

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.describing import describe_input, software_versions
from gplandmark.matching.carrying import LEAST, Carried
from gplandmark.matching.sample import SampleMatch

__all__ = ["carry_landmarks"]


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
    known = ~landmarks.missing
    result = []
    for k, specimen in enumerate(sample.specimens):
        carried = sample.carry(landmarks.points[known], start, k)
        record = _record(sample, landmarks, (start, k), carried, least)
        if k == start:
            result.append(replace(landmarks, record=record))
            continue
        points = np.full(landmarks.points.shape, np.nan)
        points[known] = carried.kept(least)
        moved = Landmarks.at(
            points, specimen.name, labels=landmarks.labels, classes=landmarks.classes,
            kinds=landmarks.kinds, record=record,
        )  # fmt: skip
        result.append(moved)
    return tuple(result)


def _record(
    sample: SampleMatch, landmarks: Landmarks, ends: tuple[int, int], carried: Carried, least: float
) -> Record:
    """What made the landmarks of one specimen, ready for JSON."""
    start, end = ends
    chain = [] if start == end else [step.target.name for step in sample.chain(start, end)]
    matching = {
        "from": sample.specimens[start].name,
        "over": chain[:-1],
        "specimens": len(sample),
        "least_confidence": least,
    }
    every = np.full(len(landmarks), np.nan)
    every[~landmarks.missing] = carried.confidence
    outcome = {
        "mirrored": bool(sample.mirrored[start] != sample.mirrored[end]),
        "confidence": [None if np.isnan(each) else round(float(each), 4) for each in every],
    }
    made = landmarks.record
    return Record(
        describe_input(sample.specimens[end].surface),
        made.settings,
        {**made.request, "matching": matching},
        {**made.outcome, **outcome},
        made.warnings,
        software_versions(),
    )
