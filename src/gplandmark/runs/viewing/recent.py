# SPDX-License-Identifier: MIT
"""Folders that were opened last, and what lies in a folder that a person looks into."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import is_scan
from gplandmark.runs.joint_files import results_of
from gplandmark.runs.run_folder import command_of

MOST = 12


def read_recent(path: Path) -> list[str]:
    """Folders that were opened last and are still there, the latest first."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [each for each in found if isinstance(each, str) and Path(each).is_dir()][:MOST]
    except (OSError, ValueError, TypeError):
        return []


def remember(path: Path, folder: Path) -> None:
    """Put a folder first; a list that cannot be written is no reason to stop."""
    name = str(folder.absolute())
    found = [name, *(each for each in read_recent(path) if each != name)][:MOST]
    with suppress(OSError, LandmarkFileError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically({path: json.dumps(found, indent=1) + "\n"})


def look_into(folder: Path) -> dict[str, Any]:
    """Folders inside a folder, and how many scans it has, ready for JSON.

    Raises
    ------
    SettingsError
        It is no folder, or cannot be read.
    """
    try:
        entries = sorted(folder.iterdir(), key=lambda each: each.name.lower())
        inside = [each.name for each in entries if each.is_dir() and not each.name.startswith(".")]
        scans = sum(is_scan(each) for each in entries if not each.name.startswith("."))
    except OSError as error:
        raise SettingsError(f"{folder} cannot be read ({error.strerror}).") from None
    return {
        "folder": str(folder),
        "parent": str(folder.parent),
        "inside": inside,
        "scans": scans,
        "command": "" if results_of(folder) is None else command_of(folder),
    }
