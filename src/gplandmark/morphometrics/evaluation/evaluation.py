# SPDX-License-Identifier: MIT
"""Result of an evaluation: errors of carried landmarks, and summaries of them."""

from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.evaluation.accuracy import (
    FILE_UNITS,
    Accuracy,
    Calibration,
    PairAccuracy,
    accuracies,
    calibration,
    mean_known,
    pair_accuracy,
    scales,
)
from gplandmark.morphometrics.evaluation.sides_and_groups import Grouping, Sides
from gplandmark.morphometrics.evaluation.transfer_errors import (
    Comparison,
    LandmarkComparison,
    compare_landmarks,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Errors of observers' landmarks that were carried from specimen to specimen.

    All errors are distances to the observers' landmarks, in units of sqrt(area) of the target.
    `scales` are the factors to other units.

    Attributes
    ----------
    names : of the s specimens with observers' landmarks, as in the sample
    labels : of the k landmarks
    errors : (s, s, k) from source to target; NaN if either lacks the landmark, on the diagonal, and
        for pairs that were not drawn
    expected : (s, s, k) expected errors, likewise
    radii : (s, s, k) that errors should not exceed with a probability of 90 %, likewise
    confidence : (s, s, k) likewise, from 0 to 1
    median_errors : (s, k) of the coordinate-wise median of positions carried from all others
    sizes : (s,) sqrt(area) of each, in units of its file
    centroid_sizes : (s,) of the observers' landmarks, in units of the file
    off : (s, k) distances of the observers' landmarks from the surfaces
    sides : left and right, by the maps and by the observers
    groups : of each specimen, None where unknown; empty where no groups were given
    groupings : group statistics by three kinds of distance; empty where no groups were given
    comparisons : errors of other programs' landmarks; empty where none were given
    notes : sentences that the user must read
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    errors: FloatArray
    expected: FloatArray
    radii: FloatArray
    confidence: FloatArray
    median_errors: FloatArray
    sizes: FloatArray
    centroid_sizes: FloatArray
    off: FloatArray
    sides: Sides
    groups: tuple[str | None, ...]
    groupings: tuple[Grouping, ...]
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]

    @property
    def scales(self) -> dict[str, FloatArray]:
        """Factors (s,) from sqrt(area) to file units and to % of centroid size, by unit."""
        return scales(self.sizes, self.centroid_sizes)

    @property
    def accuracies(self) -> dict[str, Accuracy]:
        """Errors of all carried landmarks, by unit."""
        return accuracies(self.errors, self.scales)

    @property
    def pair_errors(self) -> FloatArray:
        """Mean error of each ordered pair, (s, s); NaN where unknown."""
        return mean_known(self.errors, axis=2)

    @property
    def pairs(self) -> int:
        """Number of ordered pairs that were evaluated."""
        return int((~np.isnan(self.pair_errors)).sum())

    @property
    def all_pairs(self) -> PairAccuracy:
        """Errors of all pairs."""
        found = pair_accuracy(self.pair_errors)
        assert found is not None  # `evaluate` refuses to return without a pair
        return found

    @property
    def within_groups(self) -> PairAccuracy | None:
        """Errors of pairs within a group; None if there are none."""
        return pair_accuracy(self.pair_errors[self.in_one_group])

    @property
    def between_groups(self) -> PairAccuracy | None:
        """Errors of pairs between two known groups; None if there are none."""
        return pair_accuracy(self.pair_errors[self.in_two_groups])

    @property
    def in_one_group(self) -> BoolArray:
        """Which pairs belong to one known group, (s, s)."""
        groups = self._groups()
        return np.array([[one is not None and one == two for two in groups] for one in groups])

    @property
    def in_two_groups(self) -> BoolArray:
        """Which pairs belong to two known groups, (s, s)."""
        known = np.array([group is not None for group in self._groups()])
        return np.asarray(known[:, None] & known & ~self.in_one_group)

    @property
    def near(self) -> float:
        """Fraction of all carried landmarks with an error below 0.1."""
        return self.calibration.near

    @property
    def calibration(self) -> Calibration:
        """Whether expected errors, radii and confidence agree with the errors."""
        known = ~np.isnan(self.errors)
        arrays = (self.errors, self.expected, self.radii, self.confidence)
        return calibration(*(each[known] for each in arrays))

    @property
    def sources(self) -> IndexArray:
        """Number of specimens from which each landmark of each was carried, (s, k)."""
        return np.asarray((~np.isnan(self.errors)).sum(axis=0))

    @property
    def compared_landmarks(self) -> LandmarkComparison | None:
        """Mean error of each landmark by us and by other programs; None if there are none."""
        if not self.comparisons:
            return None
        return compare_landmarks(self.comparisons, self.errors, self.median_errors, self.sizes)

    def compared_accuracies(self, comparison: Comparison) -> dict[str, dict[str, Accuracy]]:
        """Errors of the landmarks of a comparison, by method and unit.

        The methods are `answers`, the other program; `carried_from_one_specimen`, over all other
        specimens in turn; and `median_of_sources`, the median of these positions.
        """
        errors = {
            "answers": comparison.errors,
            "carried_from_one_specimen": np.where(comparison.compared, self.errors, np.nan),
            "median_of_sources": np.where(comparison.compared, self.median_errors, np.nan),
        }
        return {method: accuracies(each, self.scales) for method, each in errors.items()}

    def worst_pairs(self, count: int) -> tuple[tuple[int, int], ...]:
        """Indices of the sources and targets with the largest mean errors, the worst first."""
        return tuple((int(i), int(j)) for i, j in _largest(self.pair_errors, count))

    def worst_landmarks(self, count: int) -> tuple[int, ...]:
        """Indices of the landmarks with the largest mean errors, the worst first."""
        means = mean_known(self.errors, axis=(0, 1))
        return tuple(int(each) for (each,) in _largest(means, count))

    def _groups(self) -> tuple[str | None, ...]:
        return self.groups or (None,) * len(self.names)


def _largest(values: FloatArray, count: int) -> IndexArray:
    """Indices (count, d) of the largest values, the largest first; NaN is ignored."""
    flat = np.where(np.isnan(values), -np.inf, values).ravel()
    order = np.argsort(-flat, kind="stable")[: min(count, int(np.isfinite(flat).sum()))]
    return np.column_stack(np.unravel_index(order, values.shape))


@dataclass(frozen=True)
class LandmarkAccuracy:
    """Errors of one landmark over all pairs.

    Attributes
    ----------
    label : name of the landmark
    number : its index
    accuracies : its errors, by unit
    expected : mean expected error, in file units
    within_radius : fraction within the radius that should hold 90 %
    confidence : mean confidence
    worst_source, worst_target : indices of the specimens with the largest error in file units
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
        """Its errors in file units."""
        return self.accuracies[FILE_UNITS]


def by_landmark(evaluation: Evaluation) -> tuple[LandmarkAccuracy, ...]:
    """Errors of each landmark that was carried at least once, in order."""
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
