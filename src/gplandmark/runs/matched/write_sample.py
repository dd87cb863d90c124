# SPDX-License-Identifier: MIT
"""What is written about a sample as a whole, beside the files of its specimens.

::

    landmarks/ thumbnails/ collection/ summary.csv report.html run.json   as every folder of results
    pairs.csv            the pairs that were compared
    distances.csv        all distances
    expected_errors.csv  expected error and 90 % radius of every carried landmark
    correspondence.npz   where many points of the reference lie on every specimen
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from gplandmark.io.files import write_atomically
from gplandmark.morphometrics.matching.dense_points import CORRESPONDENCE, correspondence_bytes
from gplandmark.runs.joint_files import write_joint
from gplandmark.runs.matched.match import Asked, Matched
from gplandmark.runs.matched.sample_tables import (
    distances_text,
    expected_errors_text,
    is_matched,
    pairs_text,
    summary_text,
)
from gplandmark.runs.reports.match_report import Overview, report_page
from gplandmark.runs.summary import machine

__all__ = ["write_results"]


def write_results(
    run: Matched, asked: Asked, output: Path, command: Sequence[str], began: datetime
) -> list[str]:
    """Write tables, joint files and the report; return what the joint files leave out."""
    entries = run.entries
    notes = write_joint(entries, output, labels=run.landmarks.labels)
    page = report_page(entries, output, _overview(run))
    about = {
        "command": list(command),
        "began": began.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "specimens": len(entries),
        "done": sum(map(is_matched, entries)),
        "unmatched": sum(entry.is_done and not is_matched(entry) for entry in entries),
        "failed": sum(not entry.is_done for entry in entries),
        "reference": run.reference,
        "landmarks": len(run.landmarks),
        "remarks": list(run.sample.remarks),
        "notes": list(run.notes),
        "settings": asked.request.identity(),
        "machine": machine(),
    }
    files: dict[str, str | bytes] = {
        "summary.csv": summary_text(entries),
        "pairs.csv": pairs_text(run.sample),
        "distances.csv": distances_text(run.sample),
        "expected_errors.csv": expected_errors_text(entries, run.landmarks.labels),
        "report.html": page.encode("utf-8", "replace"),
        "run.json": json.dumps(about, indent=1) + "\n",
    }
    if run.correspondence is not None:
        files[CORRESPONDENCE] = correspondence_bytes(run.correspondence)
    write_atomically({Path(output / name): content for name, content in files.items()})
    return notes


def _overview(run: Matched) -> Overview:
    sample = run.sample
    return Overview(
        run.reference,
        tuple(each.name for each in sample.specimens),
        sample.distances,
        sample.tree,
        sample.mirrored,
        (*run.notes, *sample.remarks),
        run.landmarks.labels,
    )
