# SPDX-License-Identifier: MIT
"""The landmarks of the reference on one specimen: carried over its maps, landed on its scan."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.io.scans import specimen_name
from gplandmark.io.write_landmarks import contents
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carry import LEAST, Route
from gplandmark.morphometrics.matching.dense_points import points_on
from gplandmark.morphometrics.matching.pose import Pose
from gplandmark.morphometrics.matching.sample_match import landmarks_over
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.matched.posed_pictures import Posed, in_common_pose
from gplandmark.runs.matched.scan import Scan, read_scan, with_content
from gplandmark.runs.place_job import Result
from gplandmark.visual.pictures import Camera, default_camera

__all__ = ["Landed", "Landing", "land", "landings", "with_scan"]


@dataclass(frozen=True, eq=False)
class Landing:
    """What a worker is told.

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
    ending : of the landmark file
    """

    scan: Scan
    route: Route
    landmarks: Landmarks
    specimens: int
    pose: Pose
    camera: Camera
    least: float = LEAST
    on_surface: bool = False
    ending: str = ".mrk.json"


@dataclass(frozen=True, eq=False)
class Landed:
    """What comes back: contents of files, what the books keep, and where many points lie."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any]
    points: FloatArray
    weights: FloatArray

    def result(self, known: Mapping[str, Any]) -> Result:
        """What is written of the specimen, with what was known of it before."""
        return Result(self.files, {**known, **self.facts})


def landings(
    sample: SampleMatch,
    landmarks: Landmarks,
    scans: Mapping[str, Scan],
    least: float = LEAST,
    on_surface: bool = False,
    ending: str = ".mrk.json",
) -> list[Landing]:
    """What is to be done on each specimen of a sample, in its order."""
    camera = default_camera(sample.specimens[sample.reference].surface)
    return [
        Landing(
            scans[each.name],
            sample.route(sample.reference, number),
            landmarks,
            max(sample.together, number + 1),
            sample.poses[number],
            camera,
            least,
            on_surface,
            ending,
        )
        for number, each in enumerate(sample.specimens)
    ]


def land(task: Landing) -> Landed:
    """Carry the landmarks of the reference to a specimen and land them on its whole scan."""
    route = task.route.onto(read_scan(task.scan))
    landmarks = landmarks_over(
        route, task.landmarks, task.specimens, least=task.least, on_surface=task.on_surface
    )
    name = specimen_name(task.scan.path)
    record = replace(landmarks.record, input={**landmarks.record.input, "specimen": name})
    written = replace(landmarks, specimen=name, record=record)
    texts = contents((written,), Path(name + task.ending), silent=True).values()
    names = [f"landmarks{task.ending}", "landmarks.record.json"]
    files = {name: text.encode() for name, text in zip(names, texts, strict=True)}
    light = task.route  # for what needs no whole scan
    posed = in_common_pose(light.end, task.pose, landmarks.points, task.camera)
    files["thumbnails.png"] = posed.image
    points, weights = points_on(light)
    return Landed(files, _facts(landmarks, posed), points, weights)


def with_scan(task: Landing) -> Landing:
    """Return the task with the content of its scan, for a worker that cannot see it."""
    return replace(task, scan=with_content(task.scan))


def _facts(landmarks: Landmarks, posed: Posed) -> dict[str, Any]:
    """What the summary and the report say of the landmarks of a specimen."""
    outcome, missing = landmarks.record.outcome, landmarks.missing
    means = {
        f"mean_{name}": _mean([each for each in outcome[name] if each is not None])
        for name in ("confidence", "expected_error", "radius_90")
    }
    return {
        "landmarks": int((~missing).sum()),
        "missing": int(missing.sum()),
        "confidence": list(outcome["confidence"]),
        "expected_error": list(outcome["expected_error"]),
        "radius_90": list(outcome["radius_90"]),
        **means,
        "mirrored": outcome["mirrored"],
        "over": list(landmarks.record.request["matching"]["over"]),
        "notes": list(landmarks.record.warnings),
        "picture": posed.facts(),
    }


def _mean(values: list[float]) -> float:
    """The mean to four digits; 0 of none."""
    return float(f"{np.mean(values):.4g}") if values else 0.0
