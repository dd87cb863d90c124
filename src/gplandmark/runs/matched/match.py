# SPDX-License-Identifier: MIT
"""A folder as a matched sample, from its scans to a landmark file for each."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carry import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.runs.discover import Findings
from gplandmark.runs.journal import Journal, JournalEntry, closed_entries
from gplandmark.runs.matched.carried_landmarks import (
    CarriedLandmarks,
    carry_landmarks,
    carry_tasks,
    key_called,
    landmarks_of_reference,
    with_scan,
)
from gplandmark.runs.matched.membership import join_sample
from gplandmark.runs.matched.scans import PreparedScans, memory_to_read, prepare_scans
from gplandmark.runs.matched.stored_jobs import StoredJobs, content_key
from gplandmark.runs.place_request import Request
from gplandmark.runs.specimen_files import MatchWriter, SpecimenWriter, as_found

__all__ = ["MatchRequest", "MatchResult", "match_folder", "sample_facts"]


@dataclass(frozen=True)
class MatchRequest:
    """What is asked of a sample.

    Attributes
    ----------
    request : how scans are cleaned, and landmarks placed on the reference
    reference : key of the specimen they are placed on; None for the most central one
    expert : file with landmarks on the reference that come first
    least : confidence below which a landmark is missing
    on_surface : let all landmarks lie on the surface; else those off it keep their offset
    force : compute everything again, and replace files of others and manual edits
    send : send scans to the workers
    reflections : whether one specimen may be the mirror image of another
    timeout : seconds after which a scan is given up
    """

    request: Request
    reference: str | None = None
    expert: Path | None = None
    least: float = MIN_CONFIDENCE
    on_surface: bool = False
    force: bool = False
    send: bool = False
    reflections: bool = True
    timeout: float | None = None


@dataclass(frozen=True, eq=False)
class MatchResult:
    """What came of it.

    Attributes
    ----------
    sample : maps between all specimens that could be read
    landmarks : of the reference
    entries : how each specimen ended, by key
    correspondence : where many points of the reference lie on every specimen; None if all failed
    notes : what was decided, in sentences
    """

    sample: SampleMatch
    landmarks: Landmarks
    entries: tuple[JournalEntry, ...]
    correspondence: Correspondence | None
    notes: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Key of the reference."""
        return self.sample.specimens[self.sample.reference].name


def match_folder(
    found: Findings,
    asked: MatchRequest,
    output: Path,
    journal: Journal,
    jobs: StoredJobs,
    tell: Callable[[JournalEntry], None],
) -> MatchResult:
    """Read the scans, match them, place landmarks on the reference, carry them to all others.

    The files of each specimen are written as they come, and its entry is told. A scan that cannot
    be read is an entry with its reason, and the others go on without it. What was computed once
    is in the workshop's store, so that a run that was cut off goes on where it was.

    Raises
    ------
    SettingsError
        There is no such reference, or nothing can be read.
    StoppedError
        Somebody asked to stop.
    """
    specimens = {each.key: each for each in found.specimens}
    reference = asked.reference and key_called(asked.reference, list(specimens))
    is_elsewhere = jobs.workers is not None and not jobs.workers.is_local
    writer = SpecimenWriter(output, journal, asked.force, is_elsewhere)
    for entry in closed_entries(found.closed):
        tell(writer.keep(entry))
    readings = prepare_scans(
        found.specimens, asked.request.rules, jobs, send=asked.send, timeout=asked.timeout
    )
    for key, outcome in readings.failed.items():
        tell(writer.write(outcome, specimens[key], {}))
    readings.check(reference)

    def placed_on(key: str) -> Landmarks:
        return landmarks_of_reference(readings.scans[key], asked.request, asked.expert)

    # What is wrong with an expert's landmarks is said before the long work.
    landmarks = None if reference is None else placed_on(reference)
    sample, notes = join_sample(
        readings,
        output,
        jobs,
        reference=reference,
        reflections=asked.reflections,
        again=asked.force,
    )
    middle = sample.specimens[sample.reference].name
    landmarks = landmarks or placed_on(middle)
    desk = MatchWriter(specimens, _marks(landmarks), writer, tell)
    landed = _carried(sample, landmarks, readings, asked, jobs, desk)
    desk.clear_others(set(landed))
    wanted = {*specimens, *found.closed}
    entries = [as_found(each, output) for key, each in journal.entries.items() if key in wanted]
    if any(each.key == middle and each.is_done and each.reason for each in entries):
        notes += (_reference_edited(middle),)
    notes += tuple(
        f"{each.key}: {each.facts['aside']}" for each in entries if "aside" in each.facts
    )
    return MatchResult(
        sample,
        landmarks,
        tuple(sorted(entries, key=lambda each: each.key)),
        _correspondence(sample, landed),
        notes,
    )


def _carried(
    sample: SampleMatch,
    landmarks: Landmarks,
    readings: PreparedScans,
    asked: MatchRequest,
    jobs: StoredJobs,
    desk: MatchWriter,
) -> dict[str, CarriedLandmarks]:
    """Land the landmarks on every specimen, and write them."""
    tasks = carry_tasks(
        sample,
        landmarks,
        readings.scans,
        asked.least,
        asked.on_surface,
        asked.request.ending,
    )
    outcomes = jobs.outcomes(
        carry_landmarks,
        tasks,
        memory=[memory_to_read(task.scan) for task in tasks],
        prepare=with_scan if asked.send else None,
        timeout=asked.timeout,
    )
    landed: dict[str, CarriedLandmarks] = {}
    with closing(outcomes):  # a full disk ends the jobs, too
        for number, outcome in outcomes:
            key = tasks[number].scan.key
            if outcome.failure is None:
                landed[key] = outcome.value
                facts = {**readings.ready[key].facts, **sample_facts(sample, number)}
                outcome = replace(outcome, value=outcome.value.result(facts))
            desk.write(outcome, key)
    return landed


def _marks(landmarks: Landmarks) -> list[str]:
    """A mark for each landmark of the reference: its name and its place."""
    named = zip(landmarks.labels, landmarks.points, strict=True)
    return [content_key((landmarks.specimen, label, point))[:16] for label, point in named]


def _reference_edited(key: str) -> str:
    return (
        f"A person edited the landmarks of the reference {key}; the others have those that were "
        "there before. To carry the edited ones, copy the file and name it with --landmarks."
    )


def _correspondence(
    sample: SampleMatch, landed: Mapping[str, CarriedLandmarks]
) -> Correspondence | None:
    """Where many points of the reference lie on every specimen that was landed on, if on any."""
    there = [each for each in sample.specimens if each.name in landed]
    if not there:
        return None
    return Correspondence(
        tuple(each.name for each in there),
        np.stack([landed[each.name].points for each in there]),
        np.stack([landed[each.name].weights for each in there]),
        np.array([each.root_area for each in there]),
    )


def sample_facts(sample: SampleMatch, number: int) -> dict[str, Any]:
    """Agreement on its pose, distance from the reference, and the specimen most like it."""
    facts: dict[str, Any] = {
        "agreement": float(sample.agreement[number]),
        "reference_distance": float(sample.distances[number, sample.reference]),
    }
    if len(sample) > 1:
        others = sample.distances[number].copy()
        others[number] = np.inf
        nearest = int(others.argmin())
        facts |= {
            "nearest": sample.specimens[nearest].name,
            "nearest_distance": float(others[nearest]),
        }
    return facts
