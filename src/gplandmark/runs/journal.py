# SPDX-License-Identifier: MIT
"""What is finished, in a file that survives a power cut: a line per specimen, only ever added to.

A line is written after the files that it lists: whatever the journal lists is on disk, even after
a crash.
The last line for a specimen counts; a line that was cut off counts as not written.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.files import content_digest, open_to_append, read_regular, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.runs.discover import HIDDEN
from gplandmark.runs.entry_checks import is_entry


@dataclass(frozen=True)
class JournalEntry:
    """How the work on one specimen ended.

    Attributes
    ----------
    key, file : its key, and the path of its scan
    reason, kind : why it failed, and in what way; a reason alone means that a person edited it
    identity : the request, and the version of gplandmark
    outputs : SHA-256 of each file that was written, by its path in the folder of results
    facts : for the summary and the report
    seconds, attempts : that it took
    """

    key: str
    file: str
    reason: str = ""
    kind: str = ""
    identity: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    attempts: int = 1

    @property
    def is_done(self) -> bool:
        """Whether it has landmarks."""
        return not self.kind

    @property
    def landmark_file(self) -> str:
        """Path of the landmarks, the first of the files."""
        return next(iter(self.outputs))

    def line(self) -> str:
        """Return the line of the journal."""
        return json.dumps(vars(self)) + "\n"


def journal_path(output: Path) -> Path:
    """Where the journal of a folder of results lies."""
    return output / HIDDEN / "journal.jsonl"


def read_entries(output: Path) -> dict[str, JournalEntry]:
    """Return the last entry of each specimen; none where there is no journal.

    A last line without an end was cut off by a power cut, and does not count.
    """
    entries: dict[str, JournalEntry] = {}
    identities: dict[str, Mapping[str, Any]] = {}  # most are equal, and half of an entry's memory
    path, strange = journal_path(output), 0
    try:
        *lines, _ = read_regular(path).decode("utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise LandmarkFileError(f"{path} cannot be read ({error.strerror or error}).") from None
    for line in lines:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        if not is_entry(content):
            strange += bool(line.strip())
            continue
        entry = JournalEntry(**content)
        alike = identities.setdefault(json.dumps(entry.identity), entry.identity)
        entries[entry.key] = replace(entry, identity=alike)
    if strange:
        warn(
            f"{path}: {counted(strange, 'line')} with unknown content left out. These "
            "specimens are done again."
        )
    return entries


class Journal:
    """The open journal of a folder of results; rewritten at the start, without what is old."""

    def __init__(self, output: Path) -> None:
        self.entries = read_entries(output)
        path = journal_path(output)
        write_atomically({path: "".join(entry.line() for entry in self.entries.values())})
        self._file: IO[bytes] = open_to_append(path)

    def add(self, entry: JournalEntry) -> JournalEntry:
        """Write a line, through to the disk, and return the entry.

        Raises
        ------
        LandmarkFileError
            There is no room, or the folder has gone.
        """
        content = entry.line().encode()
        try:
            if self._file.write(content) != len(content):
                raise OSError(28, "No space left on device")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise LandmarkFileError(
                f"{self._file.name} cannot be written ({error.strerror}). "
                "Check the space on the disk."
            ) from None
        self.entries[entry.key] = entry
        return entry

    def close(self) -> None:
        """Close the file."""
        self._file.close()


# Facts of the landmarks that we placed, which are no longer those in the file.
OURS = (
    "landmarks", "variance_left", "curve", "missing", "confidence", "mean_confidence",
    "expected_error", "mean_expected_error", "radius_90", "mean_radius_90", "picture",
)  # fmt: skip


def digests_now(entry: JournalEntry, output: Path) -> dict[str, str | None]:
    """SHA-256 of the files that an entry lists, as they are now; None where one is gone."""
    return {name: content_digest(output / name) for name in entry.outputs}


def is_edited(entry: JournalEntry, now: Mapping[str, str | None]) -> bool:
    """Whether somebody changed the landmarks since we wrote them."""
    name = entry.landmark_file if entry.outputs else ""
    return bool(name) and now[name] not in (None, entry.outputs[name])


def as_edited(entry: JournalEntry, output: Path) -> JournalEntry:
    """Return the entry with what the landmark file holds now, without what was ours."""
    name = entry.landmark_file
    facts = {key: value for key, value in entry.facts.items() if key not in OURS}
    try:
        landmarks = read_landmarks(output / name)
    except LandmarkFileError as error:
        reason = f"edited by a person, kept, and cannot be read: {error}"
        return replace(entry, reason=reason, kind="edited", facts=facts)
    count = int((~landmarks.missing).sum())
    facts["landmarks"] = count
    if "missing" in entry.facts:  # of matched landmarks there are as many on every specimen
        asked = entry.facts["landmarks"] + entry.facts["missing"]
        facts["missing"] = max(asked - count, 0)
    return replace(
        entry,
        reason=f"edited by a person, {counted(count, 'landmark')}, kept",
        outputs={name: entry.outputs[name]},  # the pictures show our landmarks
        facts=facts,
    )
