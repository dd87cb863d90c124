# SPDX-License-Identifier: MIT
"""The errors of each landmark, over all pairs of specimens."""

from dataclasses import dataclass

import numpy as np

from gplandmark.evaluation.accuracy import FILE_UNITS, Accuracy, accuracies
from gplandmark.evaluation.evaluation import Evaluation

__all__ = ["LandmarkAccuracy", "by_landmark"]


@dataclass(frozen=True)
class LandmarkAccuracy:
    """Errors of one landmark over all pairs.

    Attributes
    ----------
    label : name of the landmark
    number : its number, from 0
    accuracies : its errors, by unit
    expected : mean expected error, in units of the files
    within_radius : share within the radius that should hold 90 %
    confidence : mean confidence
    worst_source, worst_target : numbers of the specimens with the largest error in file units
    """

    label: str
    number: int
    accuracies: dict[str, Accuracy]
    expected: float
    within_radius: float
    confidence: float
    worst_source: int
    worst_target: int

    @property
    def in_file_units(self) -> Accuracy:
        """Its errors in units of the files."""
        return self.accuracies[FILE_UNITS]


def by_landmark(evaluation: Evaluation) -> tuple[LandmarkAccuracy, ...]:
    """Errors of each landmark that was carried at least once, in their order."""
    known = (~np.isnan(evaluation.errors)).any(axis=(0, 1))
    return tuple(_of_one(evaluation, int(number)) for number in np.flatnonzero(known))


def _of_one(evaluation: Evaluation, number: int) -> LandmarkAccuracy:
    errors = evaluation.errors[:, :, number]
    known = ~np.isnan(errors)
    in_file = errors * evaluation.sizes
    source, target = np.unravel_index(np.nanargmax(in_file), errors.shape)
    expected = evaluation.expected[:, :, number] * evaluation.sizes
    return LandmarkAccuracy(
        evaluation.labels[number],
        number,
        accuracies(errors[:, :, None], evaluation.scales),
        float(expected[known].mean()),
        float(np.mean(errors[known] <= evaluation.radii[:, :, number][known])),
        float(evaluation.confidence[:, :, number][known].mean()),
        int(source),
        int(target),
    )
