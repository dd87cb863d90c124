# SPDX-License-Identifier: MIT
"""A table that says something of its own for some specimens: settings, masks, first landmarks."""

import csv
import difflib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from io import StringIO
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, GplandmarkWarning, LandmarkFileError, SettingsError
from gplandmark.io.files import content_of
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.landmarks import Settings
from gplandmark.landmarks.spreadsheet_cells import of_cell
from gplandmark.runs.discover import Findings, ScanFile
from gplandmark.runs.entry_checks import check_result_name
from gplandmark.runs.place_request import Request

FILE, NAME = "file", "specimen"
NUMBERS: Mapping[str, Callable[[str], Any]] = {"count": int, "until": float, "seed": int}
VOLUMES: Mapping[str, Callable[[str], Any]] = {"threshold": float, "label": int, "smooth": float}
FILES = ("start", "weight", "exclude", "only")
CLOSE = 0.75  # likeness of a mistyped name, from 0 to 1
METHOD = {each.name: each.default for each in fields(Settings) if each.name != "weight"}


@dataclass(frozen=True)
class Manifest:
    """What a table says of each scan, by its absolute path: cells that are not empty."""

    path: Path
    rows: Mapping[Path, Mapping[str, str]]

    def add_to(self, found: Findings) -> None:
        """Add scans that the table names and the folders do not hold; names of its own count."""
        here = {each.path.absolute() for each in found.specimens}
        taken = {each.key for each in found.specimens}
        for path, cells in self.rows.items():
            if path not in here:
                key = cells.get(NAME) or path.stem
                with GplandmarkError.about(self.path):
                    check_result_name(f"landmarks/{key}")
                if key in taken:
                    raise SettingsError(
                        f"{self.path}: two specimens would be called '{key}'. "
                        f"Give them names of their own in the column {NAME}."
                    )
                taken.add(key)
                found.specimens.append(ScanFile(key, path))
        found.specimens.sort()

    def request(self, path: Path, common: Request) -> Request:
        """Return the request for a scan: the common one, with what its row says."""
        cells = self.rows.get(path.absolute(), {})
        try:
            return self._changed(cells, common)
        except (ValueError, GplandmarkError) as error:
            raise SettingsError(f"{self.path}, the row of {path.name}: {error}") from None

    def _changed(self, cells: Mapping[str, str], common: Request) -> Request:
        given: dict[str, Any] = {
            name: kind(cells[name]) for name, kind in NUMBERS.items() if name in cells
        }
        if "until" in given:
            given["target"] = given.pop("until")
            given.setdefault("count", None)
        paths: dict[str, Any] = {
            name: self.path.parent.absolute() / cells[name] for name in FILES if name in cells
        }
        areas = {name: paths.pop(name) for name in ("exclude", "only") if name in paths}
        method = {name: _typed(name, cells[name]) for name in METHOD if name in cells}
        settings = common.settings
        if method:
            if not isinstance(settings, Settings):
                raise SettingsError("the preset fixes the whole method; leave its columns out.")
            settings = replace(settings, **method)
        rules = _with_volume(common.rules, cells)
        regions = replace(common.regions, **areas)
        return replace(common, **given, **paths, settings=settings, rules=rules, regions=regions)


def _with_volume(rules: Rules, cells: Mapping[str, str]) -> Rules:
    """The rules, with what a row says of a volume; a threshold takes the place of a label."""
    given = {name: kind(cells[name]) for name, kind in VOLUMES.items() if name in cells}
    if not given:
        return rules
    if "threshold" in given or "label" in given:
        given = {"threshold": None, "label": None, **given}
    return replace(rules, volume=replace(rules.volume or VolumeOptions(), **given))


def read_manifest(path: Path) -> Manifest:
    """Read a CSV table with a column ``file``; paths in it start from its own folder.

    Raises
    ------
    LandmarkFileError
        It cannot be read.
    SettingsError
        It has no column ``file``, or names a scan twice.
    """
    try:
        rows = list(csv.DictReader(StringIO(content_of(path), newline="")))
    except csv.Error as error:
        raise LandmarkFileError.of(path, f"is not a table ({error}).") from None
    header = [name.strip().lower() for name in (rows[0] if rows else {}) if name]
    if FILE not in header:
        raise SettingsError(f"{path}: the manifest needs a header, a column '{FILE}' and a row.")
    _warn_of_unknown(path, header)
    found: dict[Path, Mapping[str, str]] = {}
    for row in rows:
        cells = {
            name.strip().lower(): of_cell(value.strip())
            for name, value in row.items()
            if name and isinstance(value, str) and value.strip()
        }
        if FILE not in cells:
            continue
        scan = (path.parent / cells[FILE]).absolute()
        if scan in found:
            raise SettingsError(f"{path}: {cells[FILE]} is in two rows. Keep one of them.")
        found[scan] = cells
    return Manifest(path, found)


def _warn_of_unknown(path: Path, header: Sequence[str]) -> None:
    known = {FILE, NAME, *NUMBERS, *VOLUMES, *FILES, *METHOD}
    unknown = [name for name in header if name not in known]
    if unknown:
        said = [name + _meant(name, known - {NAME}) for name in unknown[:5]]
        warnings.warn(
            f"{path}: columns that say nothing about landmarks are left out: {', '.join(said)}.",
            GplandmarkWarning,
            stacklevel=3,
        )


def _meant(name: str, known: Collection[str]) -> str:
    """The column that a mistyped name may stand for."""
    near = difflib.get_close_matches(name, known, 1, CLOSE)
    return f" (did you mean '{near[0]}'?)" if near else ""


def _typed(name: str, word: str) -> Any:
    """Return a cell as its setting takes it: a number where that is one, else a word."""
    whole = name in ("curvature_neighbours", "neighbours", "eigenpairs")
    is_word = isinstance(METHOD[name], str)
    return word if is_word else int(word) if whole else float(word)
