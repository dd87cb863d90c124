# SPDX-License-Identifier: MIT
"""The work on one specimen, wherever it is done: from a scan to the content of its files."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkError, ScanError, SettingsError
from gplandmark.io.scans import read_scan
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.not_bone import not_bone_file
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.volume_files import is_volume, scan_files
from gplandmark.io.write_landmarks import contents
from gplandmark.landmarks import Landmarks, MethodSettings, Settings
from gplandmark.numerics.arguments import path_of
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.engine import Job, Machines, run, start_workers
from gplandmark.runs.place_request import Request, landmarks_on, memory_for
from gplandmark.runs.reports.thresholds import threshold_file, volume_facts
from gplandmark.runs.reports.thumbnails import specimen_thumbnail


@dataclass(frozen=True)
class PlacementTask:
    """A specimen and what is asked of it; with its absolute path all that a worker needs.

    Attributes
    ----------
    specimen : its key, which names its files, and its scan
    request : how landmarks are placed
    picture : whether a large picture is wanted
    """

    specimen: ScanFile
    request: Request
    picture: bool = False

    def files(self) -> list[Path]:
        """Return the scan and the files of the request."""
        listed = not_bone_file(self.specimen.path, self.specimen.name)
        more = [listed] if listed.is_file() else []
        return [*scan_files(self.specimen.path), *more, *self.request.files()]

    def moved(self, where: Mapping[Path, Path]) -> "PlacementTask":
        """Return the task with its files in other places, as far as `where` names them."""
        path = where.get(self.specimen.path, self.specimen.path)
        return replace(
            self, specimen=replace(self.specimen, path=path), request=self.request.moved(where)
        )


@dataclass(frozen=True)
class SpecimenResult:
    """What comes back: contents of files, by kind and extension, and facts for the journal.

    If there are no landmarks, `failure` says why.
    """

    files: Mapping[str, bytes]
    facts: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""


def place_on_scan(task: PlacementTask) -> SpecimenResult:
    """Place landmarks on one specimen; the files come back, and are written elsewhere."""
    try:
        cleaned, landmarks = landmarks_on(task.specimen.path, task.request)
    except GplandmarkError as error:
        if (shown := _picture_of_failure(task)) is None:
            raise
        return SpecimenResult({"thresholds.png": shown}, failure=str(error))
    files = landmark_contents(landmarks, Path(task.specimen.key).name, task.request.extension)
    small = specimen_thumbnail(cleaned.surface, landmarks)
    if small is not None:
        files["thumbnails.png"] = small
    if task.picture:
        from gplandmark.visual.pictures import picture, picture_bytes

        files["pictures.png"] = picture_bytes(picture(cleaned.surface, landmarks), ".png")
    if (threshold := threshold_file(cleaned.preview, cleaned.surface.name)) is not None:
        files["thresholds.png"] = threshold
    facts = _facts(cleaned, landmarks) | volume_facts(task.request.rules, cleaned)
    return SpecimenResult(files, facts)


def _picture_of_failure(task: PlacementTask) -> bytes | None:
    """Where a volume was cut that gave no landmarks; None of a mesh, or if it cannot be read."""
    path, volume = task.specimen.path, task.request.rules.volume
    with suppress(GplandmarkError):
        if is_volume(path):
            scan = read_scan(path, volume)
            return threshold_file(scan.preview, scan.name)
    return None


def landmark_contents(landmarks: Landmarks, name: str, extension: str) -> dict[str, bytes]:
    """Contents of a landmark file of this name and of its record, as in `SpecimenResult`."""
    texts = contents((landmarks,), Path(name + extension), silent=True).values()
    kinds = (f"landmarks{extension}", "landmarks.record.json")
    return {kind: text.encode() for kind, text in zip(kinds, texts, strict=True)}


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
        **{name: record.input[name] for name in ("not_bone",) if name in record.input},
    }


@dataclass(frozen=True, eq=False)
class Placed:
    """What came of one scan.

    Attributes
    ----------
    path : of the scan
    landmarks : None if it failed
    reason : why it failed; empty if it did not
    seconds : that it took
    """

    path: Path
    landmarks: Landmarks | None
    reason: str = ""
    seconds: float = 0.0


def place_all(
    paths: Iterable[str | Path],
    count: int | None = None,
    *,
    settings: MethodSettings | None = None,
    target: float = 0.0,
    rules: Rules | None = None,
    between_vertices: bool = False,
    seed: int | None = None,
    machines: Machines | None = None,
    timeout: float | None = None,
) -> Iterator[Placed]:
    """Place landmarks on many scans side by side; yield each result as it comes, in any order.

    Parameters
    ----------
    paths : of scans, as for `gplandmark.read`
    count, settings, target, between_vertices, seed : as for `gplandmark.place`
    rules : how scans are cleaned
    machines : where the work is done; by default on every processor of this machine
    timeout : seconds after which a scan is given up

    A scan that fails, hangs or brings its process down is a result with a reason, and the others
    go on. Landmarks come back without their surface and cannot be continued: these are large.

    Raises
    ------
    ClusterError
        A scheduler or a cluster is asked for, and cannot be used.
    """
    request = Request(
        count,
        target,
        settings or Settings(),
        rules or Rules(),
        between_vertices=between_vertices,
        seed=seed,
    )
    if not isinstance(paths, Iterable) or isinstance(paths, str):
        raise SettingsError(f"Expected a list of paths of scans, got {paths!r}.")
    wanted = [path_of(path, ScanError) for path in paths]
    jobs = [
        Job(number, path.absolute(), memory_for(path, request))
        for number, path in enumerate(wanted)
    ]
    with start_workers(machines) as workers:
        for outcome in run(jobs, partial(_landmarks, request), workers, timeout=timeout):
            assert isinstance(outcome.key, int)
            yield Placed(wanted[outcome.key], outcome.value, outcome.reason, outcome.seconds)


def _landmarks(request: Request, path: Path) -> Landmarks:
    return replace(landmarks_on(path, request)[1], state=None, surface=None)
