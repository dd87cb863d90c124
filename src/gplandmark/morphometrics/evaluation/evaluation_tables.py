# SPDX-License-Identifier: MIT
"""Files of an evaluation: errors as tables, and the summary."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.landmarks.record import software_versions
from gplandmark.morphometrics.evaluation.accuracy import (
    FILE_UNITS,
    PERCENT,
    ROOT_AREA,
    accuracies,
    mean_known,
)
from gplandmark.morphometrics.evaluation.evaluation import Evaluation, LandmarkAccuracy, by_landmark
from gplandmark.morphometrics.evaluation.evaluation_summary import evaluation_summary, known_or_none
from gplandmark.morphometrics.evaluation.transfer_errors import LandmarkComparison

PAIRS, LANDMARKS, SUMMARY = "evaluation.csv", "landmarks.csv", "evaluation.json"
COMPARISON = "comparison.csv"


def evaluation_files(
    evaluation: Evaluation, folder: Path, settings: Mapping[str, Any]
) -> dict[Path, str | bytes]:
    """Contents of all files of an evaluation, by path; nothing is written."""
    summary = {
        "settings": settings, **evaluation_summary(evaluation), "software": software_versions()
    }  # fmt: skip
    carried = np.argwhere(~np.isnan(evaluation.pair_errors))
    pairs = [_pair(evaluation, int(i), int(j)) for i, j in carried]
    landmarks = [_landmark(evaluation.names, each) for each in by_landmark(evaluation)]
    files: dict[Path, str | bytes] = {
        folder / PAIRS: _table(pairs),
        folder / LANDMARKS: _table(landmarks),
        folder / SUMMARY: json.dumps(summary, indent=1) + "\n",
    }
    if (compared := evaluation.compared_landmarks) is not None:
        names = [each.name for each in evaluation.comparisons]
        files[folder / COMPARISON] = _comparison(evaluation.labels, names, compared)
    return files


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    return table_text(tuple(rows[0]), [tuple(row.values()) for row in rows])


def _pair(evaluation: Evaluation, i: int, j: int) -> dict[str, object]:
    names, size = evaluation.names, evaluation.sizes[j]
    errors, known = evaluation.errors[i, j], ~np.isnan(evaluation.errors[i, j])
    scales = {unit: scale[j : j + 1] for unit, scale in evaluation.scales.items()}
    found = accuracies(errors[None], scales)
    return {
        "source": names[i],
        "target": names[j],
        "mean_error_file_units": found[FILE_UNITS].mean,
        "mean_error_percent_of_centroid_size": found[PERCENT].mean,
        "mean_error_sqrt_area": found[ROOT_AREA].mean,
        "rmse_file_units": found[FILE_UNITS].rmse,
        "worst_landmark": evaluation.labels[int(np.nanargmax(errors))],
        "worst_error_file_units": found[FILE_UNITS].worst,
        "mean_expected_error_file_units": float(evaluation.expected[i, j, known].mean() * size),
        "share_within_90_percent_radius": float(
            np.mean(errors[known] <= evaluation.radii[i, j, known])
        ),
        "mean_confidence": float(mean_known(evaluation.confidence[i, j], axis=0)),
        "landmarks": int(known.sum()),
        "mirrored": evaluation.sides.found[i] != evaluation.sides.found[j],
    }


def _landmark(names: Sequence[str], each: LandmarkAccuracy) -> dict[str, object]:
    in_file = each.in_file_units
    return {
        "landmark": each.label,
        "mean_error_file_units": in_file.mean,
        "median_error_file_units": in_file.median,
        "rmse_file_units": in_file.rmse,
        "worst_error_file_units": in_file.worst,
        "worst_source": names[each.worst_source],
        "worst_target": names[each.worst_target],
        "mean_expected_error_file_units": each.expected,
        "share_within_90_percent_radius": each.within_radius,
        "mean_error_percent_of_centroid_size": each.accuracies[PERCENT].mean,
        "mean_error_sqrt_area": each.accuracies[ROOT_AREA].mean,
        "mean_confidence": each.confidence,
        "pairs": in_file.landmarks,
    }


def _comparison(labels: Sequence[str], names: Sequence[str], compared: LandmarkComparison) -> str:
    """A row for each landmark, with mean errors by us and by each other program."""
    ours = ("carried_from_one_specimen", "median_of_sources")
    header = (
        "landmark", "specimens",
        *(f"{name}_mean_error_file_units" for name in (*ours, *names)),
        "difference_to_best_answers_file_units",
    )  # fmt: skip
    columns = (compared.carried, compared.median, *compared.answers, compared.difference)
    rows = zip(labels, map(int, compared.specimens), *map(known_or_none, columns), strict=True)
    return table_text(header, rows)
