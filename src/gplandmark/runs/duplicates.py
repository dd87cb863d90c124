# SPDX-License-Identifier: MIT
"""The same scan under several names."""

from collections.abc import Iterable

from gplandmark.io.formatting import abbreviated, listed
from gplandmark.runs.journal import JournalEntry


def same_scans(entries: Iterable[JournalEntry]) -> list[str]:
    """Say which specimens are one and the same file, by its SHA-256; nothing if all differ."""
    keys: dict[str, list[str]] = {}
    for entry in entries:
        if content := entry.facts.get("sha256"):
            label = entry.facts.get("volume", {}).get("label")  # labels of a map are specimens
            keys.setdefault(f"{content} {label}", []).append(entry.key)
    groups = [listed("specimen", sorted(each)) for each in keys.values() if len(each) > 1]
    if not groups:
        return []
    return [
        f"The same scan under several names: {abbreviated(sorted(groups), 5)}. It counts several "
        "times; remove all but one."
    ]
