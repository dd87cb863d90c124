# SPDX-License-Identifier: MIT
"""Batches: landmarks on every scan of a folder independently, with a summary while they run."""

import time
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from gplandmark.io.csv_tables import table_text
from gplandmark.io.files import write_atomically
from gplandmark.runs.discover import Findings
from gplandmark.runs.duplicates import same_scans
from gplandmark.runs.job_runner import JobRunner, StoppedError
from gplandmark.runs.joint_files import is_joined, write_joint
from gplandmark.runs.journal import Journal, JournalEntry, as_edited
from gplandmark.runs.place_job import PlacementTask, place_on_scan
from gplandmark.runs.place_request import Request, memory_for
from gplandmark.runs.plan import BatchOptions, Plan, identity_of
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.run_folder import run_record
from gplandmark.runs.specimen_files import SpecimenWriter

COLUMNS = (
    "specimen", "status", "reason", "vertices", "repairs", "landmarks", "variance_left",
    "seconds", "sha256", "file",
)  # fmt: skip


def batch_summary(entries: Iterable[JournalEntry], waiting: Sequence[tuple[str, str]] = ()) -> str:
    """Return a CSV table: those that ended, then keys and files of those that did not, by key."""
    rows = [*map(_row, entries)]
    rows += [(key, "waiting", "", *[""] * 6, file) for key, file in waiting]
    return table_text(COLUMNS, sorted(rows))


def _row(entry: JournalEntry) -> tuple[str, ...]:
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


SUMMARY_AGE = 15.0  # seconds after which the summary is written again during a run
SUMMARY_FRACTION = 0.03  # of the time of a run, at most, goes into that


@dataclass(eq=False)
class Batch:
    """One run into one folder of results.

    Attributes
    ----------
    output : the folder
    journal : what is finished
    plan : what is to be done
    found : what the folders hold
    options : how the work is done
    """

    output: Path
    journal: Journal
    plan: Plan
    found: Findings
    options: BatchOptions = field(default_factory=BatchOptions)
    _known: dict[Request, dict[str, Any]] = field(default_factory=dict)
    _edited: dict[str, JournalEntry] = field(init=False)

    def __post_init__(self) -> None:
        entries = self.journal.entries
        self._edited = {key: as_edited(entries[key], self.output) for key in self.plan.edited}

    def carry_out(self, jobs: JobRunner) -> Generator[JournalEntry, None, None]:
        """Do what the plan says; yield each specimen once its files and its entry are written.

        Raises
        ------
        LandmarkFileError
            A result cannot be written. What was written before is kept.
        """
        writer = SpecimenWriter(self.output, self.journal, self.options.force, jobs.is_remote)
        writer.keep_unreadable(self.found.closed)
        due = time.monotonic() + SUMMARY_AGE
        tasks, memory = self._todo()
        outcomes = jobs.outcomes(place_on_scan, [*map(self._for_worker, tasks)], memory=memory)
        with suppress(StoppedError), closing(outcomes):  # a full disk ends the jobs, too
            for number, outcome in outcomes:
                task = tasks[number]
                identity = identity_of(task.request, self._known)
                entry = writer.write(outcome, task.specimen, identity)
                if entry.is_done and entry.reason:  # a person edited it in the meantime
                    self._edited[entry.key] = entry
                if (now := time.monotonic()) > due:
                    self.write_summary()
                    taken = time.monotonic() - now
                    due = time.monotonic() + max(SUMMARY_AGE, taken / SUMMARY_FRACTION)
                yield entry

    def _todo(self) -> tuple[list[PlacementTask], list[int]]:
        """What is to be done, and the memory for each: large specimens first.

        Small ones fill the gaps at the end.
        """
        tasks = [self.plan.tasks[key] for key in self.plan.todo]
        memory = {each.specimen.key: memory_for(each.specimen.path, each.request) for each in tasks}
        tasks.sort(key=lambda each: (-memory[each.specimen.key], each.specimen.key))
        return tasks, [memory[each.specimen.key] for each in tasks]

    def _for_worker(self, task: PlacementTask) -> PlacementTask:
        there = replace(task.specimen, path=task.specimen.path.absolute())  # it may be elsewhere
        return replace(task, specimen=there, picture=self.options.pictures)

    def entries(self) -> list[JournalEntry]:
        """Entries of all specimens that ended, and of folders that could not be read."""
        wanted = {*self.plan.tasks, *self.found.closed}
        entries = {**self.journal.entries, **self._edited}
        return [entry for key, entry in sorted(entries.items()) if key in wanted]

    def waiting(self) -> list[tuple[str, str]]:
        """Keys and files of specimens that have not ended."""
        return [
            (key, str(task.specimen.path))
            for key, task in self.plan.tasks.items()
            if key not in self.journal.entries
        ]

    def is_reported(self) -> bool:
        """Whether summary and joint files are of these landmarks, and the report is there."""
        try:
            written = (self.output / "summary.csv").read_text(encoding="utf-8")
        except (OSError, ValueError):
            return False
        if written != self._summary() or not (self.output / "report.html").exists():
            return False
        # The summary counts a person's landmarks, but does not tell where they are.
        return not self._edited or is_joined(self.entries(), self.output)

    def _summary(self) -> str:
        return batch_summary(self.entries(), self.waiting())

    def write_summary(self) -> None:
        """Write ``summary.csv``."""
        write_atomically({self.output / "summary.csv": self._summary()})

    def finish(self, command: Sequence[str], began: datetime, *, stopped: bool) -> list[str]:
        """Write what is about all specimens; return what the joint files leave out."""
        entries = self.entries()
        requests = Counter(task.request for task in self.plan.tasks.values()).most_common(1)
        notes = [*same_scans(entries), *write_joint(entries, self.output)]
        self.write_summary()
        page = batch_page(entries, self.output, len(self.waiting()))
        facts = {
            "stopped": stopped,
            "specimens": len(self.plan.tasks),
            "asked": len(self.plan.todo),
            "done": sum(entry.is_done for entry in entries),
            "failed": sum(not entry.is_done for entry in entries),
            "ignored": sorted(map(str, self.found.ignored)),
            # those of most specimens; the record of each has its own
            "settings": identity_of(requests[0][0], self._known) if requests else {},
        }
        write_atomically(
            {
                self.output / "report.html": page.encode("utf-8", "replace"),
                self.output / "run.json": run_record(command, began, facts),
            }
        )
        return notes
