# SPDX-License-Identifier: MIT
"""The landmarks of the reference: an expert's first, if there are any, and then ours."""

import difflib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError, SettingsError
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.scans import specimen_name
from gplandmark.io.start_landmarks import in_mesh_system, read_start
from gplandmark.landmarks import Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carry import MIN_CONFIDENCE, Route
from gplandmark.morphometrics.matching.dense_points import points_on
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sample_match import landmarks_over
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.matched.scans import ScanSource, named_after
from gplandmark.runs.place_job import landmark_contents
from gplandmark.runs.place_request import Request, landmarks_on, place_requested
from gplandmark.runs.reports.thumbnails import Posed, in_common_pose
from gplandmark.runs.store import storable
from gplandmark.visual.pictures import Camera, default_camera


def key_called(name: str, keys: Sequence[str]) -> str:
    """Return the key of a specimen by its key, or by the end of it where that is unique.

    Raises
    ------
    SettingsError
        There is none, or there are several.
    """
    if name in keys:
        return name
    found = [key for key in keys if key.rpartition("/")[2] == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise SettingsError(
            f"Several specimens are called {name}: {', '.join(found[:5])}. Name one in full."
        )
    near = difflib.get_close_matches(name, keys, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(keys[:5])}, ..."
    raise SettingsError(f"There is no specimen called {name}. {hint}")


def landmarks_of_reference(scan: ScanSource, request: Request, expert: Path | None) -> Landmarks:
    """Place landmarks on the reference, after those of an expert, which stay where they are.

    The expert's count among those that are asked for, and ours add what they lack. Without a
    count and a target only the expert's are taken.

    Raises
    ------
    LandmarkFileError
        The expert's landmarks do not lie on the reference, or two have one name.
    """
    cleaned = scan.read()
    if expert is None:
        placed = landmarks_on(scan.path, request, cleaned)[1]
    else:
        surface = cleaned.surface
        if request.count is None and not request.target:
            return expert_landmarks(named_after(scan, surface), expert)
        placed = _after(expert, surface, request, scan)
    return replace(placed, specimen=scan.key, state=None, surface=None, uncertainty=None)


def _after(expert: Path, surface: Surface, request: Request, scan: ScanSource) -> Landmarks:
    """Place landmarks after an expert's; two of these may have one vertex, which counts once."""
    first, vertices = _lying_on(named_after(scan, surface), expert)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # notes are in the record
        placed = place_requested(surface, scan.path, replace(request, start=expert))
    where = {vertex: place for place, vertex in enumerate(placed.vertices.tolist())}
    order = [*(where[vertex] for vertex in vertices), *range(len(set(vertices)), len(placed))]
    order = order[: max(len(first), request.count or len(order))]
    chosen = placed.chosen(order)
    return replace(
        chosen,
        points=np.concatenate([first.points, chosen.points[len(first) :]]),
        labels=(*first.labels, *chosen.labels[len(first) :]),
    )


def expert_landmarks(surface: Surface, path: Path) -> Landmarks:
    """Read landmarks that lie on a surface, in its coordinates.

    Raises
    ------
    LandmarkFileError
        They do not lie on it, or two have one name.
    """
    return _lying_on(surface, path)[0]


def _lying_on(surface: Surface, path: Path) -> tuple[Landmarks, list[int]]:
    """Landmarks as of `expert_landmarks`, and the vertex of each."""
    vertices = read_start(path, surface).vertices.tolist()  # says it where they lie elsewhere
    landmarks, notes = in_mesh_system(surface, read_landmarks(path), path.name)
    if not len(landmarks):
        raise LandmarkFileError(f"{path} has no landmark that could be carried.")
    if len(set(landmarks.labels)) < len(landmarks):
        raise LandmarkFileError(f"{path}: two landmarks have one name. Give each its own.")
    record = replace(landmarks.record, warnings=notes)
    found = replace(landmarks, specimen=surface.name, record=record, system=surface.system)
    return found, vertices


@dataclass(frozen=True, eq=False)
class CarryTask:
    """What a worker needs to carry landmarks to one specimen.

    Attributes
    ----------
    scan : of the specimen
    route : from the reference to it
    landmarks : of the reference
    specimens : how many were matched when it came
    pose : of the specimen on the reference
    camera : that shows the reference
    least : confidence below which a landmark is missing
    on_surface : let all landmarks lie on the surface
    extension : of the landmark file
    """

    scan: ScanSource
    route: Route
    landmarks: Landmarks
    specimens: int
    pose: Pose
    camera: Camera
    least: float = MIN_CONFIDENCE
    on_surface: bool = False
    extension: str = ".mrk.json"

    def files(self) -> list[Path]:
        """Return the scan, if it is not loaded."""
        return self.scan.files()

    def moved(self, where: Mapping[Path, Path]) -> "CarryTask":
        """Return the task with its scan in another place, if `where` names it."""
        return replace(self, scan=self.scan.moved(where))


@storable("Landed")
@dataclass(frozen=True, eq=False)
class CarriedLandmarks:
    """What comes back: contents of files, facts for the journal, and where many points lie."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any]
    points: FloatArray
    weights: FloatArray


def carry_tasks(
    sample: SampleMatch,
    landmarks: Landmarks,
    scans: Mapping[str, ScanSource],
    least: float = MIN_CONFIDENCE,
    on_surface: bool = False,
    extension: str = ".mrk.json",
) -> list[CarryTask]:
    """What is to be done on each specimen of a sample, in its order."""
    camera = default_camera(sample.specimens[sample.reference].surface)
    return [
        CarryTask(
            scans[each.name],
            sample.route(sample.reference, number),
            landmarks,
            max(sample.together, number + 1),
            sample.poses[number],
            camera,
            least,
            on_surface,
            extension,
        )
        for number, each in enumerate(sample.specimens)
    ]


def carry_to_scan(task: CarryTask) -> CarriedLandmarks:
    """Carry the landmarks of the reference to a specimen, onto its full scan."""
    route = task.route.onto(named_after(task.scan, task.scan.read().surface))
    landmarks = landmarks_over(
        route, task.landmarks, task.specimens, least=task.least, on_surface=task.on_surface
    )
    name = specimen_name(task.scan.path)
    record = replace(landmarks.record, input={**landmarks.record.input, "specimen": name})
    written = replace(landmarks, specimen=name, record=record)
    files = landmark_contents(written, name, task.extension)
    light = task.route  # for what needs no whole scan
    posed = in_common_pose(light.end, task.pose, landmarks.points, task.camera)
    files["thumbnails.png"] = posed.image
    points, weights = points_on(light)
    return CarriedLandmarks(files, _facts(landmarks, posed), points, weights)


def _facts(landmarks: Landmarks, posed: Posed) -> dict[str, Any]:
    """What the summary and the report say of the landmarks of a specimen."""
    outcome, missing = landmarks.record.outcome, landmarks.missing
    values = {name: list(outcome[name]) for name in ("confidence", "expected_error", "radius_90")}
    means = {}
    for name, of_all in values.items():
        known = [each for each in of_all if each is not None]
        means[f"mean_{name}"] = float(f"{np.mean(known):.4g}") if known else 0.0
    return {
        "landmarks": int((~missing).sum()),
        "missing": int(missing.sum()),
        **values,
        **means,
        "mirrored": outcome["mirrored"],
        "over": list(landmarks.record.request["matching"]["over"]),
        "notes": list(landmarks.record.warnings),
        "picture": posed.facts(),
    }
