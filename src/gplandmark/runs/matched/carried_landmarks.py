# SPDX-License-Identifier: MIT
"""Landmarks of the reference carried to a specimen, and the files that are written of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.io.scans import specimen_name
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves_on_surface import equidistant_curves
from gplandmark.landmarks.record import EXPECTED, NOT_ON_FRAGMENT, SHARE
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.carry import Route
from gplandmark.morphometrics.matching.dense_points import points_on
from gplandmark.morphometrics.matching.mirrored_reference import MirrorRoute
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sample_landmarks import landmarks_over
from gplandmark.morphometrics.prediction import PredictedSample
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.runs.matched.paired_reference import PairedReference
from gplandmark.runs.matched.sample_scans import ScanSource, named_after
from gplandmark.runs.place_job import landmark_contents
from gplandmark.runs.reports.thumbnails import Posed, in_common_pose
from gplandmark.runs.stored_values import storable
from gplandmark.visual.pictures import Camera, default_camera


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
    predicted : an expert's landmarks, predicted from several specimens; they replace those of the
        same name
    laid : (k,) which of these lie on the surface
    mirror : from the mirror image of the reference, if landmarks are in pairs
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
    predicted: Landmarks | None = None
    laid: BoolArray | None = None
    mirror: MirrorRoute | None = field(default=None, metadata={"later": True})

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
    predicted: PredictedSample | None = None,
    paired: PairedReference | None = None,
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
            None if predicted is None else predicted.landmarks(number, least),
            None if predicted is None else np.asarray(~predicted.off_surface[number]),
            None if paired is None else paired.route(number),
        )
        for number, each in enumerate(sample.specimens)
    ]


def carry_to_scan(task: CarryTask) -> CarriedLandmarks:
    """Carry the landmarks of the reference to a specimen, onto its full scan."""
    scan = named_after(task.scan, task.scan.read().surface)
    route, mirror = task.route.onto(scan), task.mirror
    landmarks = landmarks_over(
        route, task.landmarks, task.specimens, least=task.least, on_surface=task.on_surface,
        mirror=None if mirror is None else replace(mirror, route=mirror.route.onto(scan)),
    )  # fmt: skip
    if task.predicted is not None and task.laid is not None:
        surface = route.end.entire.surface
        predicted = on_scan(task.predicted, task.laid, surface)
        landmarks = equidistant_curves(surface, _replaced(landmarks, predicted))
    light = task.route  # for what needs no whole scan
    files, facts = files_of(landmarks, task.scan, light.end, task.pose, task.camera, task.extension)
    points, weights = points_on(light)
    return CarriedLandmarks(files, facts, points, weights)


def on_scan(landmarks: Landmarks, laid: BoolArray, surface: Surface) -> Landmarks:
    """Landmarks with those that are `laid` (k,) on the nearest triangles of a surface."""
    there = laid & ~landmarks.missing
    points = landmarks.points.copy()
    if there.any():
        points[there] = ClosestPoints(surface, surface.points).to(points[there])[2]
    return replace(landmarks, points=points)


def _replaced(landmarks: Landmarks, others: Landmarks) -> Landmarks:
    """Landmarks with the points and expected errors of others of the same name."""
    points, record = landmarks.points.copy(), landmarks.record
    values = {name: list(record.outcome[name]) for name in EXPECTED}
    for there, label in enumerate(others.labels):
        here = landmarks.labels.index(label)
        points[here] = others.points[there]
        for name in EXPECTED:
            values[name][here] = others.record.outcome[name][there]
    matching = {
        **record.request["matching"], "experts": others.record.request["matching"]["from"],
    }  # fmt: skip
    record = replace(
        record,
        outcome={**record.outcome, **values},
        request={**record.request, "matching": matching},
    )
    return replace(landmarks, points=points, record=record)


def files_of(
    landmarks: Landmarks,
    scan: ScanSource,
    light: SampledSurface,
    pose: Pose,
    camera: Camera,
    extension: str,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Files of the landmarks of a specimen, with its picture, and facts for the journal.

    Parameters
    ----------
    light : the specimen as it takes part in the sample
    pose : of the specimen on the reference
    camera : that shows the reference
    """
    name = specimen_name(scan.path, scan.rules.volume)
    record = replace(landmarks.record, input={**landmarks.record.input, "specimen": name})
    files = landmark_contents(replace(landmarks, specimen=name, record=record), name, extension)
    posed = in_common_pose(light.entire, pose, landmarks.points, camera)
    files["thumbnails.png"] = posed.image
    return files, _facts(landmarks, posed)


def _facts(landmarks: Landmarks, posed: Posed) -> dict[str, Any]:
    """What the summary and the report say of the landmarks of a specimen."""
    outcome, missing = landmarks.record.outcome, landmarks.missing
    values = {name: list(outcome[name]) for name in EXPECTED}
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
        **{name: outcome[name] for name in (SHARE, NOT_ON_FRAGMENT) if name in outcome},
    }
