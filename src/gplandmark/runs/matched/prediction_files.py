# SPDX-License-Identifier: MIT
"""The tables and the report of a prediction: what to expect, and what to annotate next."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.io.files import write_atomically
from gplandmark.morphometrics.analysis.analysis_tables import distance_table
from gplandmark.morphometrics.evaluation.accuracy import mean_known
from gplandmark.morphometrics.prediction import PredictedSample, Suggestion
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.joint_files import write_joint
from gplandmark.runs.matched.predict import PredictRequest, PredictResult
from gplandmark.runs.matched.sample_files import (
    expected_errors_text,
    sample_summary,
    status_and_reason,
)
from gplandmark.runs.reports.match_report import Overview, match_page
from gplandmark.runs.reports.specimen_cards import is_mirrored
from gplandmark.runs.run_folder import run_record
from gplandmark.visual.html_page import Section, cell, html_table, note, paragraph, row, safe

EXPECT = "What you may expect"
LEFT_OUT = (
    "Each annotated specimen was predicted from the others, and compared with the expert's own "
    "landmarks. Errors are in file units, and include those of the expert."
)
NEXT = (
    "These specimens tell most about those that are not annotated yet, the most informative first. "
    "Correct their predictions, mark them as checked, and run the same command again."
)
UNCERTAIN = 3  # landmarks that are named as the least certain


@dataclass(frozen=True, eq=False)
class Expectation:
    """Leave-one-out errors of the annotated specimens, in file units.

    Predictions that were accepted without a change do not count: they would agree with themselves.

    Attributes
    ----------
    overall : mean, median, 90th percentile and root mean square; NaN if nothing was left out
    by_landmark : (m,) mean of each landmark
    by_specimen : mean of each annotated specimen that counts, by its name
    """

    overall: tuple[float, float, float, float]
    by_landmark: FloatArray
    by_specimen: Mapping[str, float]

    @classmethod
    def of(cls, predicted: PredictedSample, accepted: Collection[str]) -> "Expectation":
        """What the annotated specimens show, but for those that are `accepted` predictions."""
        annotated = [predicted.names[number] not in accepted for number in predicted.experts]
        errors = predicted.errors[annotated]
        known = errors[~np.isnan(errors)]
        if not len(known):
            return cls((np.nan,) * 4, np.full(errors.shape[1], np.nan), {})
        tenth, rms = np.quantile(known, 0.9), np.sqrt((known**2).mean())
        overall = float(known.mean()), float(np.median(known)), float(tenth), float(rms)
        names = [predicted.names[number] for number in predicted.experts[annotated]]
        means = mean_known(errors, axis=(1,)).tolist()
        of_specimens = dict(zip(names, means, strict=True))
        return cls(overall, mean_known(errors, axis=(0,)), of_specimens)


def least_certain(predicted: PredictedSample, number: int) -> list[str]:
    """Labels of the landmarks of a specimen with the largest expected errors.

    Those that are not on a fragment cannot be annotated there, and are left out.
    """
    errors = np.where(np.isnan(predicted.error[number]), np.inf, predicted.error[number])
    there = [k for k in np.argsort(-errors, kind="stable") if not predicted.absent[number, k]]
    return [predicted.labels[each] for each in there[:UNCERTAIN]]


def suggestions_text(
    suggestions: Sequence[Suggestion], predicted: PredictedSample | None = None
) -> str:
    """Return a row for each suggested specimen, with its least certain landmarks."""
    rows = [
        (
            each.name,
            round(each.remaining, 4),
            " ".join(least_certain(predicted, each.number)) if predicted else "",
        )
        for each in suggestions
    ]
    return table_text(("specimen", "remaining_variance", "least_certain_landmarks"), rows)


def left_out_text(predicted: PredictedSample, accepted: Collection[str]) -> str:
    """Return a row for each landmark of each annotated specimen: the error of leaving it out.

    The mean of the specimen is beside it. Predictions that were `accepted` without a change are
    not in it.
    """
    means = mean_known(predicted.errors, axis=(1,)).tolist()
    of_all = zip(predicted.experts.tolist(), predicted.errors, means, strict=True)
    rows = [
        (predicted.names[number], label, error, mean)
        for number, errors, mean in of_all
        for label, error in zip(predicted.labels, errors.tolist(), strict=True)
        if not np.isnan(error) and predicted.names[number] not in accepted
    ]
    return table_text(("specimen", "landmark", "error", "mean_of_specimen"), rows)


def write_prediction_results(
    run: PredictResult,
    asked: PredictRequest,
    output: Path,
    command: Sequence[str],
    began: datetime,
) -> list[str]:
    """Write tables, joint files and the report; return what the joint files leave out."""
    predicted, sample, entries = run.predicted, run.sample, run.entries
    assert predicted is not None
    names = predicted.names
    experts = tuple(names[number] for number in predicted.experts)
    mirrored = {entry.key for entry in entries if is_mirrored(entry)}
    overview = Overview(
        names[sample.reference],
        names,
        sample.distances,
        sample.tree,
        np.array([name in mirrored for name in names]),
        (*run.notes, *sample.remarks),
        predicted.labels,
        experts,
    )
    notes = write_joint(entries, output, labels=predicted.labels)
    expected = Expectation.of(predicted, run.experts.accepted)
    sections = [_expectation(predicted, expected), *_next(run)]
    facts = {
        "specimens": len(entries),
        "experts": list(experts),
        "checked": sorted(run.experts.checked),
        "predicted": sum(status_and_reason(entry)[0] == "done" for entry in entries),
        "failed": sum(not entry.is_done for entry in entries),
        "landmarks": len(predicted.labels),
        "leave_one_out": dict(
            zip(("mean", "median", "90 %", "rmse"), expected.overall, strict=True)
        ),
        "noise": predicted.learned.noise,
        "least_confidence": asked.least,
        "same_scale": asked.same_scale,
        "notes": list(run.notes),
        "remarks": list(sample.remarks),
    }
    if np.isnan(expected.overall[0]):
        del facts["leave_one_out"]
    files: dict[str, str | bytes] = {
        "summary.csv": sample_summary(entries),
        "expected_errors.csv": expected_errors_text(entries, predicted.labels),
        "leave_one_out.csv": left_out_text(predicted, run.experts.accepted),
        "suggestions.csv": suggestions_text(run.suggestions, predicted),
        "distances.csv": distance_table(names, sample.distances),
        "report.html": match_page(entries, output, overview, sections).encode("utf-8", "replace"),
        "run.json": run_record(command, began, facts),
    }
    write_atomically({Path(output / name): content for name, content in files.items()})
    return notes


def _expectation(predicted: PredictedSample, expected: Expectation) -> Section:
    """Leave-one-out errors, overall, by landmark and by specimen, the worst first."""
    if np.isnan(expected.overall[0]):
        words = "Only one specimen is annotated, so that no error can be measured yet."
        return Section(EXPECT, (paragraph(words),))
    mean, median, tenth, rms = (f"{each:.3g}" for each in expected.overall)
    words = f"Mean error {mean}, median {median}, 90 % below {tenth}, root mean square {rms}."
    landmarks = zip(predicted.labels, expected.by_landmark.tolist(), strict=True)
    specimens = expected.by_specimen.items()
    tables = (_means("landmark", landmarks), _means("annotated specimen", specimens))
    return Section(EXPECT, (paragraph(words), paragraph(LEFT_OUT, soft=True), *tables))


def _means(what: str, means: Iterable[tuple[str, float]]) -> str:
    """A table of mean errors by name, the largest first."""
    rows = [row(cell(what), cell("mean error"))]
    order = sorted(means, key=lambda each: -np.nan_to_num(each[1], nan=-1.0))
    rows += [row(cell(safe(name), "name"), cell(_rounded(mean))) for name, mean in order]
    return html_table(rows)


def _rounded(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"


def _next(run: PredictResult) -> list[Section]:
    """Specimens to annotate next."""
    if not run.suggestions or run.predicted is None:
        return []
    rows = [row(cell("specimen"), cell("remaining variance"), cell("least certain landmarks"))]
    rows += [
        row(
            cell(safe(each.name), "name"),
            cell(f"{100 * each.remaining:.0f} %"),
            cell(safe(", ".join(least_certain(run.predicted, each.number)))),
        )
        for each in run.suggestions
    ]
    return [Section("Annotate next", (note(NEXT), html_table(rows)))]
