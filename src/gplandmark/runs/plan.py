# SPDX-License-Identifier: MIT
"""What is to be done and why: by content and settings, never by date."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.io.files import content_digest
from gplandmark.io.scans.not_bone import not_bone_digest
from gplandmark.runs.journal import JournalEntry, digests_now, is_edited
from gplandmark.runs.place_job import PlacementTask
from gplandmark.runs.place_request import Request, difference

READERS = 8  # files that are read side by side, to see whether they changed

NEW, FAILED, FORCED = "new", "failed before", "asked for by --overwrite"
MISSING, CHANGED = "result files are missing", "the scan changed"
PAINTED = "what is painted as not bone changed"
NO_PICTURE = "no picture yet"


@dataclass(frozen=True)
class BatchOptions:
    """Which of the specimens a batch does, and how.

    Attributes
    ----------
    force : do all of them again, and replace files of others and manual edits
    only_failed, limit : do only those that failed before, and at most so many
    pictures : also draw large pictures
    """

    force: bool = False
    only_failed: bool = False
    limit: int | None = None
    pictures: bool = False


@dataclass(frozen=True)
class Plan:
    """What is to be done.

    Attributes
    ----------
    tasks : all specimens, by key
    todo : keys of those to be done, each with the reason
    later : keys left for another run, by a limit or because only failed ones are wanted
    edited : keys of results that somebody changed since; they are left alone
    """

    tasks: Mapping[str, PlacementTask]
    todo: Mapping[str, str]
    later: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()

    def reasons(self) -> dict[str, int]:
        """Count the specimens to be done by their reason, the most frequent first."""
        return dict(Counter(self.todo.values()).most_common())

    @property
    def finished(self) -> int:
        """How many are done already."""
        return len(self.tasks) - len(self.todo) - len(self.later)


def identity_of(request: Request, known: dict[Request, dict[str, Any]]) -> dict[str, Any]:
    """Everything but the scan that decides the result; requests of many specimens are read once."""
    if request not in known:
        known[request] = {**request.identity(), "gplandmark": version("gplandmark")}
    return known[request]


def make_plan(
    tasks: Sequence[PlacementTask],
    entries: Mapping[str, JournalEntry],
    output: Path,
    options: BatchOptions,
) -> Plan:
    """Compare what is asked with what is finished.

    Raises
    ------
    SettingsError
        A file that a request names cannot be read, or the limit is below 1.
    """
    if options.limit is not None and options.limit < 1:
        raise SettingsError(f"The limit must be at least 1, got {options.limit}.")
    known: dict[Request, dict[str, Any]] = {}
    by_key = {task.specimen.key: task for task in tasks}

    def judged(task: PlacementTask) -> tuple[str, bool]:
        return _judged(task, entries.get(task.specimen.key), known, output, options)

    for task in tasks:
        identity_of(task.request, known)
    with ThreadPoolExecutor(READERS) as pool:
        verdicts = dict(zip(by_key, pool.map(judged, tasks), strict=True))
    wanted = {key: reason for key, (reason, _) in verdicts.items() if reason}
    chosen = {
        key: reason for key, reason in wanted.items() if not options.only_failed or reason == FAILED
    }
    chosen = dict(list(chosen.items())[: options.limit])
    return Plan(
        by_key,
        chosen,
        tuple(key for key in wanted if key not in chosen),
        tuple(key for key, (_, edited) in verdicts.items() if edited and key not in chosen),
    )


def _judged(
    task: PlacementTask,
    entry: JournalEntry | None,
    known: dict[Request, dict[str, Any]],
    output: Path,
    options: BatchOptions,
) -> tuple[str, bool]:
    """Why a specimen is to be done, empty if it is not, and whether its files were edited."""
    if entry is None:
        return NEW, False
    if not entry.is_done:
        return FAILED, False
    if options.force:
        return FORCED, False
    found = digests_now(entry, output)
    if is_edited(entry, found):
        return "", True  # a person's work is not replaced because a setting changed
    if changed := difference(entry.identity, identity_of(task.request, known)):
        return changed, False
    if None in found.values():
        return MISSING, False
    if options.pictures and not any(name.startswith("pictures/") for name in found):
        return NO_PICTURE, False
    return _scan_changed(task, entry), False


def _scan_changed(task: PlacementTask, entry: JournalEntry) -> str:
    """What changed of the scan, or of what is painted on it; empty if nothing did."""
    specimen = task.specimen
    if content_digest(specimen.path) != entry.facts.get("sha256"):
        return CHANGED
    painted = not_bone_digest(specimen.path, specimen.name)
    return PAINTED if painted != entry.facts.get("not_bone") else ""
