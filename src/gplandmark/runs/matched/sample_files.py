# SPDX-License-Identifier: MIT
"""The tables of a matched sample: a row per specimen, a row per pair, and all distances."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.io.files import write_atomically
from gplandmark.landmarks.record import NOT_ON_FRAGMENT, SHARE
from gplandmark.morphometrics.analysis.analysis_tables import distance_table
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.dense_points import CORRESPONDENCE, correspondence_bytes
from gplandmark.runs.duplicates import same_scans
from gplandmark.runs.joint_files import write_joint
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.matched.match import MatchRequest, MatchResult
from gplandmark.runs.reports.match_report import Overview, match_page
from gplandmark.runs.reports.specimen_cards import is_mirrored
from gplandmark.runs.run_folder import run_record

UNMATCHED = "No landmark is certain enough."

FACTS = (
    "vertices", "repairs", "landmarks", "missing", SHARE, "mean_expected_error", "mean_radius_90",
    "mean_confidence", "agreement", "mirrored", "nearest", "nearest_distance",
    "reference_distance", "area", "sha256",
)  # fmt: skip


def sample_summary(entries: Iterable[JournalEntry]) -> str:
    """Return a row for each specimen, by key."""
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        status, reason = status_and_reason(entry)
        known = entry.facts if is_matched(entry) else {**entry.facts, "mirrored": None}
        facts = (known.get(name) for name in FACTS)
        lists = (" ".join(entry.facts.get(name, ())) for name in (NOT_ON_FRAGMENT, "over"))
        rows.append((entry.key, status, reason, *facts, *lists, entry.seconds, entry.file))
    header = (
        "specimen", "status", "reason", *FACTS, NOT_ON_FRAGMENT, "over", "seconds", "file",
    )  # fmt: skip
    return table_text(header, sorted(rows, key=lambda row: str(row[0])))


def status_and_reason(entry: JournalEntry) -> tuple[str, str]:
    """How a specimen ended, and why: done, expert, edited, unmatched or failed."""
    if not entry.is_done:
        return "failed", entry.reason
    if entry.facts.get("expert"):
        return "expert", ""
    if entry.reason:
        return "edited", entry.reason
    return ("done", "") if is_matched(entry) else ("unmatched", UNMATCHED)


def is_matched(entry: JournalEntry) -> bool:
    """Whether a specimen has at least one landmark."""
    return entry.is_done and entry.facts.get("landmarks") != 0


def expected_errors_text(entries: Iterable[JournalEntry], labels: Sequence[str]) -> str:
    """Return a row for each landmark that was carried: expected error and radius in file units."""
    names = ("expected_error", "radius_90", "confidence")
    rows = [
        (entry.key, label, *values)
        for entry in entries
        for label, *values in zip(
            labels, *(entry.facts.get(name, ()) for name in names), strict=False
        )
        if values[0] is not None
    ]
    return table_text(("specimen", "landmark", *names), rows)


def pairs_text(sample: SampleMatch) -> str:
    """Return a row for each pair that was compared.

    The confidence is how clearly the pose is the best of all; whether two are mirror images is
    given as of the pair alone, and as the whole sample agreed on.
    """
    names = [each.name for each in sample.specimens]
    tree, mirrored = set(sample.tree), sample.mirrored
    return table_text(
        ("specimen", "other", "distance", "mirrored", "confidence", "mirrored_in_sample",
         "in_tree", "mapped"),
        (
            (names[i], names[j], each.distance, each.pose.reflects, each.certainty,
             bool(mirrored[i] != mirrored[j]), (i, j) in tree, (i, j) in sample.steps)
            for (i, j), each in sorted(sample.alignments.items())
        ),
    )  # fmt: skip


def write_results(
    run: MatchResult, asked: MatchRequest, output: Path, command: Sequence[str], began: datetime
) -> list[str]:
    """Write tables, joint files and the report; return what the joint files leave out."""
    entries, sample = run.entries, run.sample
    mirrored = {entry.key for entry in entries if is_mirrored(entry)}
    overview = Overview(
        run.reference,
        tuple(each.name for each in sample.specimens),
        sample.distances,
        sample.tree,
        np.array([each.name in mirrored for each in sample.specimens]),
        (*same_scans(entries), *asked.notes, *run.notes, *sample.remarks),
        run.landmarks.labels,
    )
    notes = write_joint(entries, output, labels=run.landmarks.labels)
    notes = [*same_scans(entries), *notes]
    page = match_page(entries, output, overview)
    facts = {
        "specimens": len(entries),
        "done": sum(map(is_matched, entries)),
        "unmatched": sum(entry.is_done and not is_matched(entry) for entry in entries),
        "failed": sum(not entry.is_done for entry in entries),
        "reference": run.reference,
        "landmarks": len(run.landmarks),
        "remarks": list(run.sample.remarks),
        "notes": [*asked.notes, *run.notes],
        "same_scale": asked.same_scale,
        "settings": asked.request.identity(),
    }
    files: dict[str, str | bytes] = {
        "summary.csv": sample_summary(entries),
        "pairs.csv": pairs_text(run.sample),
        "distances.csv": distance_table(overview.names, overview.distances),
        "expected_errors.csv": expected_errors_text(entries, run.landmarks.labels),
        "report.html": page.encode("utf-8", "replace"),
        "run.json": run_record(command, began, facts),
    }
    if run.correspondence is not None:
        files[CORRESPONDENCE] = correspondence_bytes(run.correspondence)
    write_atomically({Path(output / name): content for name, content in files.items()})
    return notes
