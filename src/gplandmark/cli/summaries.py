# SPDX-License-Identifier: MIT
"""What commands print at the end: landmarks of one scan, a matched sample, an analysis."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.cli.tables import percent, print_rows, print_title, rounded
from gplandmark.cli.terminal import echo, echo_json
from gplandmark.io.formatting import abbreviated, counted
from gplandmark.io.record_files import record_text
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.record import method_text
from gplandmark.runs.journal import JournalEntry

if TYPE_CHECKING:  # `place` needs none of them
    from gplandmark.morphometrics.analysis import Analysis, ContinuousAnalysis
    from gplandmark.runs.matched.match import MatchResult

REASONS = {
    "count": "as many as requested",
    "target": "the target is reached",
    "rank": "the rest of the surface is determined to the last digit; more landmarks add nothing",
    "noise": "the variance fell to the accuracy of the kernel; more landmarks would be noise",
    "pair": "one place is left, but a pair was due",
    "exhausted": "there are no more places of this kind",
}
MOST_FAILED = 10  # failures that are named on the terminal; the summary has all
MOST_REASONS = 3  # outliers whose reasons are given on the terminal
MOST_NAMES = 8  # names, and notes, on the terminal; the report has all


def print_landmarks(landmarks: Landmarks, written: tuple[Path, ...], seconds: float) -> None:
    """Print what was placed, how far the variance fell, and where the files are."""
    record = landmarks.record
    rows = [
        *_volume(record.input),
        ("surface", _surface(record.input)),
        ("method", method_text(record.settings)),
        *_excluded(record.request),
        ("landmarks", f"{len(landmarks)}: {REASONS[record.outcome['stopped']]}"),
        *_variance(record.outcome),
        ("time", f"{seconds:.1f} s"),
        ("written", ", ".join(map(str, written))),
    ]
    print_title(landmarks.specimen)
    print_rows(rows)


def print_as_json(landmarks: Landmarks, written: Sequence[Path]) -> None:
    """Print the record of landmarks, and where the files are, as JSON."""
    content = json.loads(record_text(landmarks)) | {"written": [str(path) for path in written]}
    echo_json(content)


def _volume(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row about the cut of a volume."""
    if "volume" not in about:
        return []
    cut = about["volume"]
    if cut["threshold_by"] == "label":
        return [("volume", f"label {cut['label']}")]
    how = "by Otsu's method" if cut["threshold_by"] == "otsu" else "as given"
    return [("volume", f"threshold {cut['threshold']:.6g} {how}")]


def _surface(about: Mapping[str, Any]) -> str:
    area = f"area {rounded(about['area'])} (file units squared"
    if about["triangles"]:
        return f"{about['vertices']:,} vertices, {about['triangles']:,} triangles, {area})"
    return f"{about['vertices']:,} points in R^{about['dimension']}, {area}, estimated)"


def _excluded(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row about where landmarks may go, unless they may go everywhere."""
    count = sum(last - first + 1 for first, last in request.get("excluded", ()))
    names = [each.get("exclude") or f"only {each['only']}" for each in request.get("regions", ())]
    regions = f" ({', '.join(names)})" if names else ""
    rows = [("excluded", f"{count:,} vertices{regions}")] if count or names else []
    if request.get("between_vertices"):
        rows.append(("places", "between vertices, where the variance is largest"))
    return rows


def _variance(outcome: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row about the variance, which other samplers do not have."""
    if "largest_variance_after" not in outcome:
        return []
    left = outcome["largest_variance_after"] / outcome["largest_variance_before"]
    return [("variance", f"largest remaining variance {percent(left)} of initial")]


def print_analysis(found: "Analysis", more: Sequence[tuple[str, str]] = ()) -> None:
    """Print how specimens were aligned, what varies, how groups differ, and more rows."""
    aligned, fractions = found.aligned, found.components.variance_fractions
    specimens, landmarks = aligned.missing.shape
    print_title(f"{counted(specimens, 'specimen')}, {counted(landmarks, 'landmark')}")
    squares = rounded(aligned.sum_of_squares)
    rows = [("aligned", f"sum of squares {squares}, {aligned.rounds} rounds")]
    if aligned.missing.any():
        rows.append(("estimated", counted(int(aligned.missing.sum()), "missing landmark")))
    if aligned.reflect:
        rows.append(("mirrored", counted(int(aligned.mirrored.sum()), "specimen")))
    named = [f"PC{i + 1} {percent(each)}" for i, each in enumerate(fractions[:4])]
    rows.append(("variance", ", ".join(named)))
    rows += _by_groups(found)
    if (surfaces := found.continuous) is not None:
        mean = surfaces.distances.sum() / (surfaces.distances.size - len(surfaces.names))
        count = counted(len(surfaces.names), "surface")
        rows.append(("continuous", f"mean distance {rounded(mean)} between {count}"))
        rows += [(name, f"{text}, by continuous distances") for name, text in _by_groups(surfaces)]
    print_rows([*rows, *more])


def _by_groups(found: "Analysis | ContinuousAnalysis") -> list[tuple[str, str]]:
    rows = []
    if (each := found.classification) is not None:
        right = f"{int(each.correct.sum())} of {int(each.counted.sum())} in the right group"
        rows.append(
            ("neighbours", f"{right}, {percent(each.rate)} (chance {percent(each.chance)})")
        )
    if (test := found.test) is not None:
        rows.append(("groups", f"MRPP A = {test.agreement:.3f}, p = {test.p_value:.4g}"))
    return rows


def print_failed(failed: Sequence[JournalEntry]) -> None:
    """Print the first of the specimens that failed, and why."""
    for entry in failed[:MOST_FAILED]:
        echo(f"failed: {entry.key}: {entry.reason}", err=True)
    if len(failed) > MOST_FAILED:
        echo(f"... and {len(failed) - MOST_FAILED:,} more, see summary.csv", err=True)


def print_not_bone(entries: Sequence[JournalEntry]) -> None:
    """Print which scans have paint on them that was left out."""
    if painted := [entry.key for entry in entries if entry.is_done and entry.facts.get("not_bone")]:
        names = abbreviated(painted, MOST_NAMES)
        echo(f"note: What is painted as not bone was left out on {names}.", err=True)


def print_match(run: "MatchResult", output: Path, seconds: float) -> None:
    """Print what was matched, what to look at, and what to do next."""
    from gplandmark.morphometrics.asymmetry import pairs_by_name
    from gplandmark.runs.matched.sample_files import is_matched

    failed = [entry for entry in run.entries if not entry.is_done]
    done = [entry for entry in run.entries if entry.is_done]
    print_failed(failed)
    print_not_bone(done)
    for remark in (*run.notes, *run.sample.remarks)[:MOST_NAMES]:
        echo(f"note: {remark}", err=True)
    lost = [entry.key for entry in done if not is_matched(entry)]
    aside = f", {len(lost):,} not matched" if lost else ""
    aside += f", {len(failed):,} failed" if failed else ""
    print_title(f"{counted(len(done) - len(lost), 'specimen')} matched", aside)
    lacking = [entry for entry in done if entry.facts.get("missing")]
    gone = sum(entry.facts["missing"] for entry in lacking)
    mirrored = [
        entry.key for entry in done if entry.facts.get("mirrored") and entry.key not in lost
    ]
    edited = [entry.key for entry in done if entry.reason]
    missing = f", {gone:,} missing on {counted(len(lacking), 'specimen')}" if gone else ""
    rows = [
        *(
            [("not", f"{abbreviated(lost, MOST_NAMES)}: no landmark is certain enough")]
            if lost
            else []
        ),
        ("reference", run.reference),
        ("landmarks", f"{len(run.landmarks)} on each{missing}"),
        *_expected_errors(run, done),
        (
            "mirrored",
            f"{len(mirrored)}: {abbreviated(mirrored, MOST_NAMES)}" if mirrored else "none",
        ),
        *(
            [("edited", f"{abbreviated(edited, MOST_NAMES)}: manual edits were kept")]
            if edited
            else []
        ),
        *_outliers(done),
        ("time", f"{seconds:.0f} s"),
        ("written", f"{output / 'report.html'}: look at it first"),
    ]
    if len(done) - len(lost) > 2:
        options = " --reflect" if mirrored else ""
        options += " --pairs auto" if pairs_by_name(run.landmarks.labels) is not None else ""
        rows.append(("next", f"gplandmark analyze {shlex.quote(str(output))} -o shapes{options}"))
    print_rows(rows)


def _expected_errors(run: "MatchResult", done: Sequence[JournalEntry]) -> list[tuple[str, str]]:
    """Return the row about the expected errors of carried landmarks."""
    from gplandmark.runs.matched.sample_files import is_matched

    means = [
        (entry.facts["mean_expected_error"], entry.facts["mean_radius_90"])
        for entry in done
        if entry.key != run.reference and is_matched(entry) and "mean_radius_90" in entry.facts
    ]
    if not means:
        return []
    error, radius = map(rounded, np.median(means, axis=0))
    return [
        ("expected", f"error {error} file units, and 90 % within {radius} (median of specimens)")
    ]


def _outliers(done: Sequence[JournalEntry]) -> list[tuple[str, str]]:
    """Return rows about outliers and the reasons; a wrong unit may be one of them."""
    from gplandmark.runs.reports.unusual_specimens import sample_outliers

    found = sample_outliers(done)
    rows = [("outlier", f"{each.key}: {' '.join(each.reasons)}") for each in found[:MOST_REASONS]]
    more = [each.key for each in found[MOST_REASONS:]]
    return [
        *rows,
        *([("outliers", f"{abbreviated(more, MOST_NAMES)}: the report says why")] if more else []),
    ]
