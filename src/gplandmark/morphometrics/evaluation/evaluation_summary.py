# SPDX-License-Identifier: MIT
"""All numbers of an evaluation, ready for JSON."""

from dataclasses import asdict
from typing import Any

import numpy as np

from gplandmark.morphometrics.evaluation.accuracy import (
    Accuracy,
    PairAccuracy,
    accuracies,
    mean_known,
)
from gplandmark.morphometrics.evaluation.evaluation import Evaluation, LandmarkAccuracy, by_landmark
from gplandmark.morphometrics.evaluation.sides_and_groups import Grouping
from gplandmark.morphometrics.evaluation.transfer_errors import Comparison
from gplandmark.numerics.arrays import BoolArray, FloatArray

SHOWN = 5  # worst pairs and landmarks in the summary


def evaluation_summary(evaluation: Evaluation, shown: int = SHOWN) -> dict[str, Any]:
    """All numbers, ready for JSON; the name of each length contains its unit."""
    return {
        "specimens": len(evaluation.names),
        "landmarks": len(evaluation.labels),
        "pairs": evaluation.pairs,
        "errors_of_landmarks": _errors(evaluation),
        "errors_of_pairs_sqrt_area": _pairs(evaluation),
        "errors_of_each_landmark": [
            _landmark(evaluation, each) for each in by_landmark(evaluation)
        ],
        "landmarks_within_0.1_sqrt_area": evaluation.near,
        **_worst(evaluation, shown),
        "expected_errors": _expected(evaluation),
        "confidence": _confidence(evaluation),
        "sides": _sides(evaluation),
        "groups": [_grouping(each) for each in evaluation.groupings],
        "comparisons": [_comparison(evaluation, each) for each in evaluation.comparisons],
        "comparison_of_each_landmark": _compared_landmarks(evaluation),
        "largest_distance_off_surface_sqrt_area": float(np.nanmax(evaluation.off)),
        "notes": list(evaluation.notes),
    }


def known_or_none(values: FloatArray) -> list[float | None]:
    """Numbers, and None for NaN."""
    return [None if np.isnan(each) else float(each) for each in values]


def _errors(evaluation: Evaluation) -> dict[str, Any]:
    """Errors of landmarks by unit: of all pairs, within and between groups, and of medians."""
    subsets = {
        "all_pairs": np.ones_like(evaluation.in_one_group),
        "within_groups": evaluation.in_one_group,
        "between_groups": evaluation.in_two_groups,
    }
    errors = {
        name: np.where(which[:, :, None], evaluation.errors, np.nan)
        for name, which in subsets.items()
    }
    errors["median_of_sources"] = evaluation.median_errors
    found = {name: _by_unit(accuracies(each, evaluation.scales)) for name, each in errors.items()}
    return {name: each for name, each in found.items() if each}


def _by_unit(found: dict[str, Accuracy]) -> dict[str, Any]:
    return {unit: asdict(each) for unit, each in found.items()}


def _pairs(evaluation: Evaluation) -> dict[str, Any]:
    found = {
        "all": evaluation.all_pairs,
        "within_groups": evaluation.within_groups,
        "between_groups": evaluation.between_groups,
    }
    return {name: _pair_accuracy(each) for name, each in found.items() if each is not None}


def _pair_accuracy(each: PairAccuracy) -> dict[str, Any]:
    values = asdict(each)
    near = values.pop("near")
    return {**values, "below_0.15": near}


def _landmark(evaluation: Evaluation, each: LandmarkAccuracy) -> dict[str, Any]:
    return {
        "landmark": each.label,
        **_by_unit(each.accuracies),
        "mean_expected_error_file_units": each.expected,
        "share_within_90_percent_radius": each.within_radius,
        "mean_confidence": each.confidence,
        "worst_source": evaluation.names[each.worst_source],
        "worst_target": evaluation.names[each.worst_target],
    }


def _worst(evaluation: Evaluation, shown: int) -> dict[str, Any]:
    names, errors = evaluation.names, evaluation.pair_errors
    by_number = mean_known(evaluation.errors, axis=(0, 1))
    return {
        "worst_pairs": [
            {"source": names[i], "target": names[j], "mean_error_sqrt_area": float(errors[i, j])}
            for i, j in evaluation.worst_pairs(shown)
        ],
        "worst_landmarks": [
            {"landmark": evaluation.labels[at], "mean_error_sqrt_area": float(by_number[at])}
            for at in evaluation.worst_landmarks(shown)
        ],
    }


def _expected(evaluation: Evaluation) -> dict[str, Any]:
    found = evaluation.calibration
    expected = accuracies(evaluation.expected, evaluation.scales)
    return {
        "mean_expected_error": {unit: each.mean for unit, each in expected.items()},
        "mean_error": {unit: each.mean for unit, each in evaluation.accuracies.items()},
        "share_within_90_percent_radius": found.within_radius,
        "error_of_tenth_with_largest_expected_over_average": found.largest,
    }


def _confidence(evaluation: Evaluation) -> dict[str, Any]:
    found = evaluation.calibration
    return {
        "mean": found.confidence,
        "share_within_0.1_sqrt_area": found.near,
        "share_missing": found.missing,
        "mean_error_of_missing_sqrt_area": found.dropped,
        "mean_error_of_others_sqrt_area": found.kept,
        "share_of_others_within_0.1_sqrt_area": found.kept_near,
    }


def _sides(evaluation: Evaluation) -> dict[str, Any]:
    found = evaluation.sides
    return {
        "judged": int(found.certain.sum()),
        "right": int(found.agree.sum()),
        "wrong": _named(evaluation, found.certain & ~found.agree),
        "uncertain": _named(evaluation, ~found.certain),
    }


def _named(evaluation: Evaluation, which: BoolArray) -> list[str]:
    return [evaluation.names[at] for at in np.flatnonzero(which)]


def _grouping(each: Grouping) -> dict[str, Any]:
    found, test = each.classification, each.test
    return {
        "by": each.by,
        "right": int(found.correct.sum()),
        "counted": int(found.counted.sum()),
        "rate": found.rate,
        "chance": found.chance,
        "wrong": [each.names[at] for at in np.flatnonzero(found.counted & ~found.correct)],
        "mrpp_agreement": None if test is None else test.agreement,
        "mrpp_p_value": None if test is None else test.p_value,
    }


def _comparison(evaluation: Evaluation, each: Comparison) -> dict[str, Any]:
    found = evaluation.compared_accuracies(each)
    sources = evaluation.sources[each.compared]
    return {
        "answers_of": each.name,
        "specimens": each.specimens,
        "landmarks": each.landmarks,
        "fewest_sources": int(sources.min()),
        "most_sources": int(sources.max()),
        "errors": {method: _by_unit(by_unit) for method, by_unit in found.items()},
    }


def _compared_landmarks(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Mean errors of each landmark in file units, by us and by each other program."""
    found = evaluation.compared_landmarks
    if found is None:
        return []
    names = [each.name for each in evaluation.comparisons]
    return [
        {
            "landmark": label,
            "specimens": int(found.specimens[at]),
            "mean_error_file_units": {
                "carried_from_one_specimen": known_or_none(found.carried)[at],
                "median_of_sources": known_or_none(found.median)[at],
                "answers": dict(zip(names, known_or_none(found.answers[:, at]), strict=True)),
            },
            "difference_to_best_answers_file_units": known_or_none(found.difference)[at],
        }
        for at, label in enumerate(evaluation.labels)
    ]
