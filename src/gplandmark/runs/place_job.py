# SPDX-License-Identifier: MIT
"""The work on one specimen, wherever it is done: from a scan to the content of its files."""

import tempfile
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkError, GplandmarkWarning
from gplandmark.io.region_files import read_weight, regions_from
from gplandmark.io.scans import read_cleaned
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.start_landmarks import Start, read_start
from gplandmark.io.write_landmarks import contents
from gplandmark.landmarks import Landmarks, place
from gplandmark.mesh.surface import Surface
from gplandmark.runs.place_request import Request
from gplandmark.runs.reports.small_charts import thumbnail

__all__ = ["Assignment", "Result", "land", "landmarks_on", "with_files"]


@dataclass(frozen=True)
class Assignment:
    """What a worker is told: the scan, what is asked, and what to make.

    Attributes
    ----------
    key : of the specimen, which names its files
    path : of the scan, where the worker sees it
    request : how landmarks are placed
    picture : whether a large picture is wanted
    sent : contents of the scan and of the files of the request, for a worker that cannot see them
    """

    key: str
    path: Path
    request: Request
    picture: bool = False
    sent: Mapping[Path, bytes] | None = None


@dataclass(frozen=True)
class Result:
    """What comes back: contents of files, by kind and ending, and what the books keep."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any] = field(default_factory=dict)


def land(task: Assignment) -> Result:
    """Place landmarks on one specimen; the files come back, and are written elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        local = task if task.sent is None else _unpacked(task, Path(folder))
        with GplandmarkError.about(task.path, instead_of=local.path):
            cleaned, landmarks = landmarks_on(local.path, local.request)
    surface = cleaned.surface
    stem = Path(task.key).name
    ending = task.request.ending
    texts = contents((landmarks,), Path(stem + ending), silent=True)
    names = [f"landmarks{ending}", "landmarks.record.json"]
    files = {name: text.encode() for name, text in zip(names, texts.values(), strict=True)}
    small = thumbnail(surface, landmarks)
    if small is not None:
        files["thumbnails.png"] = small
    if task.picture:
        files["pictures.png"] = _picture(surface, landmarks)
    return Result(files, _facts(cleaned, landmarks))


def landmarks_on(path: Path, request: Request) -> tuple[Cleaned, Landmarks]:
    """Read a scan and place landmarks as a request says; notes stand in their record."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        cleaned = read_cleaned(path, request.rules)
        surface = cleaned.surface
        first = Start() if request.start is None else read_start(request.start, surface)
        landmarks = place(
            surface,
            request.count,
            settings=request.settings,
            target=request.target,
            weight=None if request.weight is None else read_weight(request.weight),
            start=first.vertices,
            regions=regions_from(request.regions, surface, path),
            between_vertices=request.between_vertices,
            seed=request.seed,
        )
    return cleaned, first.remembered_by(landmarks)


def with_files(task: Assignment) -> Assignment:
    """Return the assignment with the contents of its files, for a worker that cannot see them.

    A file that cannot be read is not sent: the worker will say that it is not there.
    """
    sent: dict[Path, bytes] = {}
    for path in (task.path, *task.request.files()):
        with suppress(OSError):
            sent[path] = path.read_bytes()
    return replace(task, sent=sent)


def _unpacked(task: Assignment, folder: Path) -> Assignment:
    """Write what was sent into a folder, each file under its own name."""
    where: dict[Path, Path] = {}
    for number, (path, content) in enumerate((task.sent or {}).items()):
        where[path] = folder / str(number) / path.name
        where[path].parent.mkdir()
        where[path].write_bytes(content)

    def here(path: Path | None) -> Path | None:
        return None if path is None else where.get(path, path)

    request, regions = task.request, task.request.regions
    regions = replace(regions, exclude=here(regions.exclude), only=here(regions.only))
    request = replace(
        request, weight=here(request.weight), start=here(request.start), regions=regions
    )
    return replace(task, path=where.get(task.path, task.path), request=request)


def _picture(surface: Surface, landmarks: Landmarks) -> bytes:
    from gplandmark.visual.pictures import picture, picture_bytes

    return picture_bytes(picture(surface, landmarks), ".png")


def _facts(cleaned: Cleaned, landmarks: Landmarks) -> dict[str, Any]:
    """What the summary and the report say of a specimen."""
    surface, record = cleaned.surface, landmarks.record
    before = record.outcome["largest_variance_before"]
    curve = [*landmarks.variances, record.outcome["largest_variance_after"]]
    return {
        "sha256": record.input["sha256"],
        "vertices": cleaned.report.vertices,
        "repairs": cleaned.report.line(),
        "landmarks": len(landmarks),
        "stopped": record.outcome["stopped"],
        "variance_left": record.outcome["largest_variance_after"] / before,
        "area": record.input["area"],
        "size": float(np.linalg.norm(np.ptp(surface.points, axis=0))),
        "curve": [float(f"{value / before:.4g}") for value in curve],
        "notes": list(record.warnings),
    }
