# SPDX-License-Identifier: MIT
"""The landmarks of the reference on one specimen: carried over its maps, landed on its scan."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.collections.specimen import Result
from gplandmark.files import contents
from gplandmark.landmarks import Landmarks
from gplandmark.matching.carrying import LEAST
from gplandmark.matching.dense import points_on
from gplandmark.matching.homologous import landmarks_over
from gplandmark.matching.rigid import Pose
from gplandmark.matching.routes import Route
from gplandmark.pictures import Camera
from gplandmark.samples.posing import Posed, in_common_pose
from gplandmark.samples.scans import Scan, read_scan, with_content

__all__ = ["Landed", "Landing", "land", "with_scan"]


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
    ending : of the landmark file
    """

    scan: Scan
    route: Route
    landmarks: Landmarks
    specimens: int
    pose: Pose
    camera: Camera
    least: float = LEAST
    ending: str = ".mrk.json"


@dataclass(frozen=True, eq=False)
class Landed:
    """What comes back: contents of files, what the books keep, and where many points lie."""

    files: Mapping[str, bytes]
    facts: Mapping[str, Any]
    points: FloatArray
    weights: FloatArray

    @property
    def result(self) -> Result:
        """What is written of the specimen."""
        return Result(self.files, self.facts)


def land(task: Landing) -> Landed:
    """Carry the landmarks of the reference to a specimen and land them on its whole scan."""
    route = task.route.onto(read_scan(task.scan))
    landmarks = landmarks_over(route, task.landmarks, task.specimens, least=task.least)
    stem = Path(task.scan.key).name
    texts = contents((replace(landmarks, specimen=stem),), Path(stem + task.ending), silent=True)
    names = [f"landmarks{task.ending}", "landmarks.record.json"]
    files = {name: text.encode() for name, text in zip(names, texts.values(), strict=True)}
    posed = in_common_pose(route.end, task.pose, landmarks.points, task.camera)
    files["thumbnails.png"] = posed.image
    points, weights = points_on(route.chain, route.start)
    return Landed(files, _facts(landmarks, posed), points, weights)


def with_scan(task: Landing) -> Landing:
    """Return the task with the content of its scan, for a worker that cannot see it."""
    return replace(task, scan=with_content(task.scan))


def _facts(landmarks: Landmarks, posed: Posed) -> dict[str, Any]:
    """What the summary and the report say of the landmarks of a specimen."""
    outcome, missing = landmarks.record.outcome, landmarks.missing
    confidence = [np.nan if each is None else each for each in outcome["confidence"]]
    known = np.isfinite(confidence)
    places = [
        None if absent else [round(float(x), 1), round(float(y), 1)]
        for absent, (x, y) in zip(missing, posed.places, strict=True)
    ]
    return {
        "landmarks": int((~missing).sum()),
        "missing": int(missing.sum()),
        "confidence": list(outcome["confidence"]),
        "mean_confidence": float(np.mean(confidence, where=known)) if known.any() else 0.0,
        "mirrored": outcome["mirrored"],
        "over": list(landmarks.record.request["matching"]["over"]),
        "notes": list(landmarks.record.warnings),
        "picture": {
            "size": list(posed.size),
            "places": places,
            "shown": [bool(each) for each in posed.shown],
        },
    }
