# SPDX-License-Identifier: MIT
"""The figures of an evaluation for other programs: two tables and a summary."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.evaluation.evaluation import Evaluation
from gplandmark.evaluation.grouping import Grouping
from gplandmark.evaluation.judging import Spread, mean_known
from gplandmark.files.rows import table_text
from gplandmark.landmarks.describing import software_versions

__all__ = ["LANDMARKS", "PAIRS", "SUMMARY", "evaluation_files", "evaluation_summary"]

PAIRS, LANDMARKS, SUMMARY = "evaluation.csv", "landmarks.csv", "evaluation.json"
SHOWN = 5  # worst pairs and landmarks that are named


def evaluation_files(
    evaluation: Evaluation, folder: Path, settings: Mapping[str, Any]
) -> dict[Path, str | bytes]:
    """Contents of all files of an evaluation, by path; nothing is written here."""
    summary = {
        "settings": settings, **evaluation_summary(evaluation), "software": software_versions()
    }  # fmt: skip
    return {
        folder / PAIRS: _pairs(evaluation),
        folder / LANDMARKS: _landmarks(evaluation),
        folder / SUMMARY: json.dumps(summary, indent=1) + "\n",
    }


def evaluation_summary(evaluation: Evaluation, shown: int = SHOWN) -> dict[str, Any]:
    """All figures, ready for JSON; errors in units of sqrt(area) of the target."""
    names, errors = evaluation.names, evaluation.pair_errors
    by_landmark = mean_known(evaluation.errors, axis=(0, 1))
    found = evaluation.sides
    spreads = {
        "all": evaluation.all_pairs,
        "within_groups": evaluation.within_groups,
        "between_groups": evaluation.between_groups,
    }
    return {
        "specimens": len(names),
        "landmarks": len(evaluation.labels),
        "unit": "sqrt(area) of the target",
        "errors": {name: _spread(each) for name, each in spreads.items() if each is not None},
        "landmarks_within_0.1": evaluation.near,
        "worst_pairs": [
            {"source": names[i], "target": names[j], "error": float(errors[i, j])}
            for i, j in evaluation.worst_pairs(shown)
        ],
        "worst_landmarks": [
            {"landmark": evaluation.labels[at], "error": float(by_landmark[at])}
            for at in evaluation.worst_landmarks(shown)
        ],
        "sides": {
            "judged": int(found.certain.sum()),
            "right": int(found.right.sum()),
            "wrong": _named(evaluation, found.certain & ~found.right),
            "uncertain": _named(evaluation, ~found.certain),
        },
        "confidence": asdict(evaluation.honesty),
        "groups": [_grouping(each) for each in evaluation.groupings],
        "largest_distance_off_surface": float(np.nanmax(evaluation.off)),
        "notes": list(evaluation.notes),
    }


def _spread(each: Spread) -> dict[str, Any]:
    told = asdict(each)
    near = told.pop("near")
    return {**told, "below_0.15": near}


def _grouping(each: Grouping) -> dict[str, Any]:
    found, test = each.classification, each.test
    wrong = found.counted & ~found.right
    return {
        "by": each.by,
        "right": int(found.right.sum()),
        "counted": int(found.counted.sum()),
        "rate": found.rate,
        "chance": found.chance,
        "wrong": [each.names[at] for at in np.flatnonzero(wrong)],
        "mrpp_agreement": None if test is None else test.agreement,
        "mrpp_p_value": None if test is None else test.p_value,
    }


def _named(evaluation: Evaluation, which: Any) -> list[str]:
    return [evaluation.names[at] for at in np.flatnonzero(which)]


def _pairs(evaluation: Evaluation) -> str:
    """A row for each ordered pair that was carried."""
    names, means = evaluation.names, evaluation.pair_errors
    trust = mean_known(evaluation.confidence, axis=2)
    found, rows = evaluation.sides.found, []
    for i, j in np.argwhere(~np.isnan(means)):
        errors = evaluation.errors[i, j]
        worst = int(np.nanargmax(errors))
        rows.append(
            (names[i], names[j], float(means[i, j]), evaluation.labels[worst],
             float(errors[worst]), float(trust[i, j]), int((~np.isnan(errors)).sum()),
             found[i] != found[j])
        )  # fmt: skip
    header = (
        "source", "target", "mean_error", "worst_landmark", "worst_error", "mean_confidence",
        "landmarks", "mirrored",
    )  # fmt: skip
    return table_text(header, rows)


def _landmarks(evaluation: Evaluation) -> str:
    """A row for each landmark that was carried at least once."""
    names, rows = evaluation.names, []
    for at, label in enumerate(evaluation.labels):
        errors = evaluation.errors[:, :, at]
        known = ~np.isnan(errors)
        if not known.any():
            continue
        i, j = np.unravel_index(np.nanargmax(errors), errors.shape)
        rows.append(
            (label, float(errors[known].mean()), float(np.median(errors[known])),
             float(errors[i, j]), names[i], names[j],
             float(evaluation.confidence[:, :, at][known].mean()), int(known.sum()))
        )  # fmt: skip
    header = (
        "landmark", "mean_error", "median_error", "worst_error", "worst_source", "worst_target",
        "mean_confidence", "pairs",
    )  # fmt: skip
    return table_text(header, rows)
