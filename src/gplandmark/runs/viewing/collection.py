# SPDX-License-Identifier: MIT
"""What a folder holds for the viewer: results of a command, or just scans and landmark files."""

import csv
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from glob import escape
from io import StringIO
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, LandmarkFileError, ScanError
from gplandmark.io.files import content_of
from gplandmark.io.landmark_formats.formats import FORMATS, format_of
from gplandmark.io.record_files import UNREADABLE, record_path
from gplandmark.io.scans import specimen_name
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.landmarks.spreadsheet_cells import of_cell
from gplandmark.runs.discover import ScanFile, find_scans
from gplandmark.runs.joint_files import results_of
from gplandmark.runs.journal import JournalEntry, read_entries
from gplandmark.runs.result_scans import reference_of_results, scan_of_entry, volume_of_entry
from gplandmark.runs.run_folder import command_of

NEW = ".mrk.json"  # format of landmarks that are saved for the first time
EDITED = f".edited{NEW}"  # beside a landmark file that another program wrote
NO_SCAN = "Its scan is not there any more: {}. Move it back, or name its folder with --scans."


@dataclass(frozen=True)
class Specimen:
    """One specimen of a collection.

    Attributes
    ----------
    key : its name, unique in the collection
    scan : its scan
    landmarks : the landmark file to open; None if there is none
    output : where corrected landmarks are saved
    thumbnail : a small picture, if there is one
    failure : why it has no landmarks, in a sentence; empty if nothing failed
    uncertainty : mean 90 % radius of its landmarks, of sqrt(area); of a batch the remaining
        variance, a fraction; NaN if unknown
    radii : 90 % radius of each landmark in file units, by label
    volume : how its volume became a surface; None without any options of its own
    is_annotated : whether its landmarks are an expert's, from which others were predicted
    """

    key: str
    scan: Path
    landmarks: Path | None
    output: Path
    thumbnail: Path | None = None
    failure: str = ""
    uncertainty: float = math.nan
    radii: Mapping[str, float] = field(default_factory=dict)
    volume: VolumeOptions | None = None
    is_annotated: bool = False


@dataclass(frozen=True)
class Collection:
    """The specimens of a folder, the least certain first.

    Attributes
    ----------
    folder : that was opened
    command : that wrote it; empty for a folder of scans
    specimens : its specimens
    reference : key of the specimen whose landmarks were carried to the others; empty if none
    is_single : whether it is one scan that was named, maybe with another to compare
    """

    folder: Path
    command: str
    specimens: tuple[Specimen, ...]
    reference: str = ""
    is_single: bool = False

    @property
    def is_matched(self) -> bool:
        """Whether a landmark is the same place on every specimen."""
        return self.command in ("match", "predict")


def open_collection(folder: Path, scans: Path | None = None) -> Collection:
    """Find the specimens of a folder of results, or of a folder of scans.

    Parameters
    ----------
    scans : where scans are looked for that are no longer where the results say

    Raises
    ------
    GplandmarkError
        The folder is not there, or has nothing to show.
    """
    if not folder.is_dir():
        raise ScanError(f"{folder}: there is no such folder. Check the name.")
    results = results_of(folder)
    found = _of_scans(folder) if results is None else _of_results(results, scans)
    if not found.specimens:
        raise ScanError(f"{folder} has no specimen in it yet.")
    return found


def _of_results(folder: Path, scans: Path | None) -> Collection:
    entries, radii = read_entries(folder), _radii(folder)
    named = _scans_by_name(scans)
    specimens = [
        _of_entry(entry, folder, named, radii.get(key, {}))
        for key, entry in entries.items()
        if entry.kind != "gone" and not key.endswith("/")
    ]
    return Collection(
        folder, command_of(folder), _worst_first(specimens), reference_of_results(folder)
    )


def _of_entry(
    entry: JournalEntry, folder: Path, named: Mapping[str, Path], radii: Mapping[str, float]
) -> Specimen:
    scan = scan_of_entry(entry, folder, named)
    landmarks = folder / entry.landmark_file if entry.outputs else None
    if landmarks is not None and not landmarks.exists():
        landmarks = None
    failure = "" if entry.is_done or entry.kind == "edited" else entry.reason
    if not scan.exists():
        failure = NO_SCAN.format(scan)
    thumbnail = folder / "thumbnails" / f"{entry.key}.png"
    return Specimen(
        entry.key,
        scan,
        landmarks,
        landmarks or folder / "landmarks" / f"{entry.key}{NEW}",
        thumbnail if thumbnail.exists() else None,
        failure,
        _uncertainty(entry.facts, radii),
        radii,
        volume_of_entry(entry),
        bool(entry.facts.get("expert")),
    )


def _scans_by_name(scans: Path | None) -> Mapping[str, Path]:
    return (
        {}
        if scans is None
        else {each.path.name: each.path for each in find_scans([scans]).specimens}
    )


def _uncertainty(facts: Mapping[str, Any], radii: Mapping[str, float]) -> float:
    area = facts.get("area")
    if radii and area:
        return sum(radii.values()) / len(radii) / math.sqrt(area)
    return float(facts.get("variance_left", math.nan))


def _radii(folder: Path) -> dict[str, dict[str, float]]:
    """The 90 % radius of each landmark of each specimen, as ``expected_errors.csv`` has them."""
    try:
        rows = csv.DictReader(StringIO(content_of(folder / "expected_errors.csv")))
        found: dict[str, dict[str, float]] = {}
        for row in rows:
            if row["radius_90"]:
                of_specimen = found.setdefault(of_cell(row["specimen"]), {})
                of_specimen[of_cell(row["landmark"])] = float(row["radius_90"])
    except (LandmarkFileError, csv.Error, AttributeError, KeyError, ValueError, TypeError):
        return {}  # a batch has none; and a table that somebody damaged takes nothing else away
    return found


def _of_scans(folder: Path) -> Collection:
    found = find_scans([folder])
    is_scan = any(each.path == folder for each in found.specimens)  # a folder of slices
    beside = folder.parent.glob(f"{escape(folder.name)}.*") if is_scan else ()
    sets = _landmark_files((*found.ignored, *beside))
    specimens = [_of_scan(scan, sets.get(_stem(scan.path), {})) for scan in found.specimens]
    return Collection(folder, "", tuple(specimens))


def _stem(path: Path) -> Path:
    return path.with_name(specimen_name(path))


def _landmark_files(paths: Iterable[Path]) -> dict[Path, dict[str, Path]]:
    """Landmark files by the path of their scan without extension, and by their own extension."""
    found: dict[Path, dict[str, Path]] = {}
    for path in paths:
        for extension in (EDITED, *FORMATS):
            if path.name.lower().endswith(extension):
                stem = path.with_name(path.name[: -len(extension)])
                found.setdefault(stem, {})[extension] = path
                break
    return found


def _of_scan(scan: ScanFile, sets: Mapping[str, Path]) -> Specimen:
    order = (EDITED, *FORMATS)
    landmarks = next((sets[extension] for extension in order if extension in sets), None)
    return Specimen(scan.key, scan.path, landmarks, output_beside(scan.path, landmarks))


def output_beside(scan: Path, landmarks: Path | None) -> Path:
    """Where landmarks of a scan are saved: never over a file that another program wrote."""
    if landmarks is None:
        return _stem(scan).with_name(specimen_name(scan) + NEW)
    if is_ours(landmarks):
        return landmarks
    extension, _ = format_of(landmarks)
    return landmarks.with_name(landmarks.name[: -len(extension)] + EDITED)


def is_ours(landmarks: Path) -> bool:
    """Whether gplandmark wrote a landmark file: its record beside it says so."""
    return bool(_record(landmarks).get("software"))


def is_corrected(landmarks: Path) -> bool:
    """Whether a person changed landmarks that we had placed, as the record beside them says."""
    request = _record(landmarks).get("request")
    return isinstance(request, dict) and bool(request.get("edits"))


def _record(landmarks: Path) -> dict[str, Any]:
    try:
        content = json.loads(content_of(record_path(landmarks, format_of(landmarks)[0])))
    except (GplandmarkError, *UNREADABLE):
        return {}
    return content if isinstance(content, dict) else {}


def _worst_first(specimens: Iterable[Specimen]) -> tuple[Specimen, ...]:
    """Failed ones, then the least certain; those of unknown certainty last, by name."""

    def order(each: Specimen) -> tuple[bool, float, str]:
        known = -each.uncertainty if math.isfinite(each.uncertainty) else math.inf
        return not each.failure, known, each.key

    return tuple(sorted(specimens, key=order))
