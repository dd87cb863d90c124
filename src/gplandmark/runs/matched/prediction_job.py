# SPDX-License-Identifier: MIT
"""What a worker does for one specimen of a prediction, and facts of it for the journal."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves_on_surface import equidistant_curves
from gplandmark.landmarks.record import EXPECTED
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import BoolArray
from gplandmark.runs.engine import Outcome
from gplandmark.runs.matched.carried_landmarks import files_of, on_scan
from gplandmark.runs.matched.sample_scans import ScanSource, named_after
from gplandmark.runs.place_job import SpecimenResult
from gplandmark.visual.pictures import Camera


@dataclass(frozen=True, eq=False)
class PredictTask:
    """What a worker needs to write the landmarks of one specimen.

    Attributes
    ----------
    scan : of the specimen
    light : the specimen as it takes part in the sample
    landmarks : predicted on it, or an expert's
    laid : (m,) which landmarks lie on the surface
    pose : of the specimen on the reference
    camera : that shows the reference
    extension : of the landmark file
    """

    scan: ScanSource
    light: SampledSurface
    landmarks: Landmarks
    laid: BoolArray
    pose: Pose
    camera: Camera
    extension: str = ".mrk.json"

    def files(self) -> list[Path]:
        """Return the scan, if it is not loaded."""
        return self.scan.files()

    def moved(self, where: Mapping[Path, Path]) -> "PredictTask":
        """Return the task with its scan in another place, if `where` names it."""
        return replace(self, scan=self.scan.moved(where))


def write_prediction(task: PredictTask) -> SpecimenResult:
    """Put predicted landmarks on the full scan, and return the files of the specimen."""
    landmarks = task.landmarks
    if task.laid.any() or landmarks.curves:
        surface = named_after(task.scan, task.scan.read().surface)
        landmarks = equidistant_curves(surface, on_scan(landmarks, task.laid, surface))
    return SpecimenResult(
        *files_of(landmarks, task.scan, task.light, task.pose, task.camera, task.extension)
    )


def with_facts(
    outcome: Outcome, known: Mapping[str, Any], files: Mapping[str, bytes], *, is_expert: bool
) -> Outcome:
    """The outcome with more facts for the journal, and more files."""
    if not outcome.is_done:
        return outcome
    facts = {**known, **outcome.value.facts}
    facts = expert_facts(facts) if is_expert else {**facts, "expert": False}
    files = {**outcome.value.files, **files}
    return replace(outcome, value=replace(outcome.value, files=files, facts=facts))


def expert_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of an annotated specimen, whose own landmarks have no expected error."""
    others = {
        name: each for name, each in facts.items() if name.removeprefix("mean_") not in EXPECTED
    }
    return {**others, "expert": True}
