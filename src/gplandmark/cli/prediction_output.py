# SPDX-License-Identifier: MIT
"""What ``gplandmark predict`` prints: what to expect, what to look at, what to annotate next."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gplandmark.cli.summaries import MOST_NAMES, print_failed, print_not_bone
from gplandmark.cli.tables import print_rows, print_table, print_title, rounded
from gplandmark.cli.terminal import echo
from gplandmark.io.formatting import abbreviated, counted, printable
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.matched.predict import PredictResult
from gplandmark.runs.matched.prediction_files import Expectation, least_certain
from gplandmark.runs.matched.sample_files import status_and_reason

MOST_NOTES = 12
WORST = 3  # landmarks that are named


def print_prediction(run: PredictResult, output: Path, seconds: float) -> None:
    """Print how many were predicted, the errors to expect, and what to do next."""
    predicted = run.predicted
    assert predicted is not None
    statuses = [status_and_reason(entry)[0] for entry in run.entries]

    def named(status: str) -> list[JournalEntry]:
        return [each for each, its in zip(run.entries, statuses, strict=True) if its == status]

    done, edited, lost = named("done"), named("edited"), named("unmatched")
    print_failed(failed := named("failed"))
    print_not_bone(run.entries)
    for each in (*run.notes, *run.sample.remarks)[:MOST_NOTES]:
        echo(f"note: {each}", err=True)
    experts = counted(len(predicted.experts), "annotated specimen")
    aside = f", {len(failed):,} failed" if failed else ""
    print_title(f"{counted(len(done), 'specimen')} predicted from {experts}", aside)
    gone = sum(entry.facts.get("missing", 0) for entry in done)
    rows = [
        ("landmarks", f"{len(predicted.labels)} on each" + (f", {gone:,} missing" if gone else "")),
        *([("none on", _names(lost))] if lost else []),
        *_expected(run),
        *(
            [("edited", f"{_names(edited)}: kept; to learn from it, list it in checked.txt")]
            if edited
            else []
        ),
        *_next(run),
        ("time", f"{seconds:.0f} s"),
        ("written", f"{output / 'report.html'}: look at it first"),
    ]
    if done or lost or edited:
        rows.append(("correct", f"gplandmark view {shlex.quote(str(output))}"))
    if len(run.entries) > 2:
        rows.append(("analyse", f"gplandmark analyze {shlex.quote(str(output))} -o shapes"))
    print_rows((name, printable(value)) for name, value in rows)


def _names(entries: Sequence[JournalEntry]) -> str:
    return abbreviated([entry.key for entry in entries], MOST_NAMES)


def _expected(run: PredictResult) -> list[tuple[str, str]]:
    """Rows about the errors to expect."""
    predicted = run.predicted
    assert predicted is not None
    others = np.setdiff1d(np.arange(len(run.sample)), predicted.experts)
    rows = []
    if len(others) and not np.isnan(predicted.error[others]).all():
        error = float(np.nanmean(predicted.error[others]))
        radius = float(np.nanmean(predicted.radius[others]))
        rows.append(
            ("expected", f"error {rounded(error)} file units on average, 90 % within "
                         f"{rounded(radius)}")
        )  # fmt: skip
    found = Expectation.of(predicted, run.experts.accepted)
    if not np.isnan(found.overall[0]):
        mean, median, tenth, _ = map(rounded, found.overall)
        order = np.argsort(-np.nan_to_num(found.by_landmark, nan=-1.0))[:WORST]
        worst = ", ".join(
            f"{predicted.labels[each]} ({rounded(found.by_landmark[each])})" for each in order
        )
        rows += [
            ("left out", f"each annotated specimen in turn: mean error {mean}, median {median}, "
                         f"90 % below {tenth}"),
            ("worst", f"landmarks {worst}"),
        ]  # fmt: skip
    return rows


def _next(run: PredictResult) -> list[tuple[str, str]]:
    """Rows about what to annotate next."""
    predicted = run.predicted
    assert predicted is not None
    return [
        ("next" if number == 0 else "", f"{each.name}, least certain: "
         f"{', '.join(least_certain(predicted, each.number))}")
        for number, each in enumerate(run.suggestions)
    ]  # fmt: skip


def print_suggestions(run: PredictResult, quiet: bool) -> None:
    """Print which specimens to annotate, the most informative first; only names if `quiet`."""
    if quiet:
        for each in run.suggestions:
            echo(each.name)
        return
    for note in run.notes[:MOST_NOTES]:
        echo(f"note: {note}", err=True)
    print_title(f"Annotate {counted(len(run.suggestions), 'specimen')} of {len(run.sample):,}")
    print_table(
        ("specimen", "remaining variance"),
        [(printable(each.name), f"{100 * each.remaining:.0f} %") for each in run.suggestions],
    )
    echo("Then: gplandmark predict SCANS EXPERTS -o FOLDER")
