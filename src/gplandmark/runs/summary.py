# SPDX-License-Identifier: MIT
"""One row for each specimen, and what is known of the run."""

import os
import platform
from collections.abc import Iterable, Sequence
from typing import Any

from gplandmark.io.csv_tables import table_text
from gplandmark.landmarks.record import software_versions
from gplandmark.runs.journal import Entry

__all__ = ["COLUMNS", "machine", "summary_text"]

COLUMNS = (
    "specimen", "status", "reason", "vertices", "repairs", "landmarks", "variance_left",
    "seconds", "sha256", "file",
)  # fmt: skip


def summary_text(entries: Iterable[Entry], waiting: Sequence[tuple[str, str]] = ()) -> str:
    """Return a CSV table: those that ended, then keys and files of those that did not, by key."""
    rows = [*map(_row, entries)]
    rows += [(key, "waiting", "", *[""] * 6, file) for key, file in waiting]
    return table_text(COLUMNS, sorted(rows))


def _row(entry: Entry) -> tuple[str, ...]:
    facts = entry.facts
    return (
        entry.key,
        ("edited" if entry.reason else "done") if entry.is_done else "failed",
        entry.reason,
        str(facts.get("vertices", "")),
        str(facts.get("repairs", "")),
        str(facts.get("landmarks", "")),
        f"{facts['variance_left']:.6g}" if "variance_left" in facts else "",
        f"{entry.seconds:.3f}",
        str(facts.get("sha256", "")),
        entry.file,
    )


def machine() -> dict[str, Any]:
    """Return what the computer is that ran it."""
    return {
        "name": platform.node(),
        "system": platform.platform(),
        "processor": platform.machine(),
        "processors": os.cpu_count(),
        "software": software_versions(),
    }
