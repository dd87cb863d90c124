# SPDX-License-Identifier: MIT
"""What is told of results that a person changed since: the person's numbers, not ours."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_digest
from gplandmark.io.formatting import counted
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.runs.journal import Entry

__all__ = ["as_edited", "digests_now", "is_edited"]

# Facts of the landmarks that we placed, which are no longer those in the file.
OURS = (
    "landmarks", "variance_left", "curve", "missing", "confidence", "mean_confidence",
    "expected_error", "mean_expected_error", "radius_90", "mean_radius_90", "picture",
)  # fmt: skip


def digests_now(entry: Entry, output: Path) -> dict[str, str | None]:
    """SHA-256 of the files that an entry tells of, as they are now; None where one is gone."""
    return {name: content_digest(output / name) for name in entry.outputs}


def is_edited(entry: Entry, now: Mapping[str, str | None]) -> bool:
    """Tell whether somebody changed the landmarks, the first of the files, since we wrote them."""
    name, ours = next(iter(entry.outputs.items()), ("", None))
    return bool(name) and now[name] not in (None, ours)


def as_edited(entry: Entry, output: Path) -> Entry:
    """Return the entry with what the landmark file holds now, without what was ours."""
    name = next(iter(entry.outputs))
    facts = {key: value for key, value in entry.facts.items() if key not in OURS}
    try:
        landmarks = read_landmarks(output / name)
    except LandmarkFileError as error:
        reason = f"edited by a person, left alone, and cannot be read: {error}"
        return replace(entry, reason=reason, kind="edited", facts=facts)
    count = int((~landmarks.missing).sum())
    facts["landmarks"] = count
    if "missing" in entry.facts:  # of matched landmarks there are as many on every specimen
        asked = entry.facts["landmarks"] + entry.facts["missing"]
        facts["missing"] = max(asked - count, 0)
    return replace(
        entry,
        reason=f"edited by a person, {counted(count, 'landmark')}, left alone",
        outputs={name: entry.outputs[name]},  # the pictures show our landmarks
        facts=facts,
    )
