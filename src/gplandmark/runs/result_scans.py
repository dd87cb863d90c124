# SPDX-License-Identifier: MIT
"""The scans that the results of a run belong to."""

import json
from collections.abc import Mapping
from pathlib import Path

from gplandmark.io.files import read_regular
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.journal import JournalEntry, read_entries


def scan_of_entry(entry: JournalEntry, folder: Path, named: Mapping[str, Path]) -> Path:
    """The scan of an entry: its path may be relative to where the command ran.

    Where it is not found, the scan that is called so in `named` counts, if there is one.
    """
    path = Path(entry.file)
    places = [path] if path.is_absolute() else [path, folder.absolute().parent / path]
    known = next((each for each in places if each.exists()), None)
    return known or named.get(path.name) or path


def volume_of_entry(entry: JournalEntry) -> VolumeOptions | None:
    """How the volume of an entry became a surface; None of a mesh, or without any options."""
    content = entry.facts.get("volume")
    return None if content is None else VolumeOptions.of_dict(content)


def scans_of_results(folder: Path) -> dict[str, ScanFile]:
    """Scans by the key of their specimen, as far as they are still there."""
    scans = {
        key: ScanFile(key, scan_of_entry(each, folder, {}), volume_of_entry(each))
        for key, each in read_entries(folder).items()
    }
    return {key: scan for key, scan in scans.items() if scan.path.exists()}


def reference_of_results(folder: Path) -> str:
    """Key of the reference of a match; empty if there is none."""
    try:
        return str(json.loads(read_regular(folder / "run.json"))["reference"] or "")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
