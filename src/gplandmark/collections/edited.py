# SPDX-License-Identifier: MIT
"""What is told of results that a person changed since: the person's numbers, not ours."""

from dataclasses import replace
from pathlib import Path

from gplandmark.collections.journal import Entry
from gplandmark.errors import LandmarkFileError
from gplandmark.files import read_landmarks
from gplandmark.files.words import counted

__all__ = ["as_edited"]

OURS = ("landmarks", "variance_left", "curve")  # facts of the landmarks that we placed


def as_edited(entry: Entry, output: Path) -> Entry:
    """Return the entry with what the landmark file holds now, without what was ours."""
    name = next(iter(entry.outputs))
    facts = {key: value for key, value in entry.facts.items() if key not in OURS}
    try:
        count = len(read_landmarks(output / name))
    except LandmarkFileError as error:
        reason = f"edited by a person, left alone, and cannot be read: {error}"
        return replace(entry, reason=reason, kind="edited", facts=facts)
    return replace(
        entry,
        reason=f"edited by a person, {counted(count, 'landmark')}, left alone",
        outputs={name: entry.outputs[name]},  # the pictures show our landmarks
        facts={**facts, "landmarks": count},
    )
