# SPDX-License-Identifier: MIT
"""Joint files and the summary after a person corrected landmarks.

``landmarks/`` is what counts. ``collection/`` and ``summary.csv`` are made of it.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from gplandmark.io.files import read_regular, write_atomically
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.landmarks.spreadsheet_cells import of_cell
from gplandmark.runs.batch import batch_summary
from gplandmark.runs.joint_files import results_of, write_joint
from gplandmark.runs.journal import JournalEntry, as_edited, digests_now, is_edited
from gplandmark.runs.matched.sample_files import sample_summary
from gplandmark.runs.run_folder import command_of, has_homologous_landmarks, open_run_folder

SUMMARY = "summary.csv"
GONE = "Its landmark file is gone."


def refresh_results(results: Path) -> list[str]:
    """Write the joint files and the summary of a folder of results again, from its landmarks.

    The report is left as it is: the command that wrote the folder draws it again.

    Returns
    -------
    What the joint files leave out, in sentences.

    Raises
    ------
    SettingsError
        A run is writing into the folder.
    LandmarkFileError
        A file cannot be written.
    """
    command = command_of(results)
    with open_run_folder(results, command) as journal:
        rows = _rows(results / SUMMARY)
        listed = {row["specimen"] for row in rows} or set(journal.entries)
        entries = [
            _as_now(entry, results)
            for key, entry in sorted(journal.entries.items())
            if key in listed
        ]
        if has_homologous_landmarks(results):
            notes = write_joint(entries, results, labels=_labels(entries, results))
            text = sample_summary(entries)
        else:
            notes = write_joint(entries, results)
            waiting = [(row["specimen"], row["file"]) for row in rows if row["status"] == "waiting"]
            text = batch_summary(entries, waiting)
        write_atomically({results / SUMMARY: text})
    return notes


def results_around(path: Path) -> Path | None:
    """Return the folder of results that a landmark file belongs to; None if it is in none."""
    for folder in path.absolute().parents:
        if folder.name == "landmarks" and (found := results_of(folder.parent)) is not None:
            return found
    return None


def _rows(summary: Path) -> list[dict[str, str]]:
    """Rows of the summary as it is; none where there is none that can be read."""
    try:
        rows = list(csv.DictReader(StringIO(read_regular(summary).decode())))
    except (OSError, ValueError, csv.Error):
        return []
    names = ("specimen", "status", "file")
    return [
        {name: of_cell(row[name]) for name in names}
        for row in rows
        if all(isinstance(row.get(name), str) for name in names)
    ]


def _as_now(entry: JournalEntry, results: Path) -> JournalEntry:
    """The entry, with a person's numbers where a person changed the landmarks."""
    if not entry.is_done:
        return entry
    if not (results / entry.landmark_file).exists():
        return replace(entry, kind="gone", reason=GONE)
    return as_edited(entry, results) if is_edited(entry, digests_now(entry, results)) else entry


def _labels(entries: Iterable[JournalEntry], results: Path) -> Sequence[str]:
    """Names of the landmarks, as most specimens have them."""
    done = (entry for entry in entries if entry.is_done)
    often = Counter(read_landmarks(results / entry.landmark_file).labels for entry in done)
    return often.most_common(1)[0][0] if often else ()
