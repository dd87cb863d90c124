# SPDX-License-Identifier: MIT
"""A folder as a matched sample, from its scans to a landmark file for each."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.io.landmark_files import read_landmarks
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.morphometrics.prediction import PredictedSample, predict
from gplandmark.runs.discover import Findings
from gplandmark.runs.engine import Outcome
from gplandmark.runs.job_keys import content_key
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.journal import Journal, JournalEntry
from gplandmark.runs.matched.carried_landmarks import (
    CarriedLandmarks,
    carry_tasks,
    carry_to_scan,
)
from gplandmark.runs.matched.experts import gather_experts
from gplandmark.runs.matched.membership import join_sample
from gplandmark.runs.matched.paired_reference import PairedReference, pair_reference
from gplandmark.runs.matched.reference_landmarks import key_called, landmarks_of_reference
from gplandmark.runs.matched.replaced_landmarks import note_replaced
from gplandmark.runs.matched.sample_scans import ScanSource, memory_to_read, prepare_scans
from gplandmark.runs.place_job import SpecimenResult
from gplandmark.runs.place_request import Request
from gplandmark.runs.specimen_files import SpecimenWriter, as_found

REFERENCE_EDITED = (
    "A person edited the landmarks of the reference {}; the others have those that were there "
    "before. To carry the edited ones, copy the file and name it with --landmarks."
)


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
    reflections : whether one specimen may be the mirror image of another
    more_experts : files with the same expert's landmarks on other specimens
    in_pairs : place landmarks in pairs on the reference, which is symmetric
    estimate_missing : estimate missing landmarks from the other specimens, in a file apart
    same_scale : whether all files share a unit
    notes : what was noted before it began; they go into the report
    """

    request: Request
    reference: str | None = None
    expert: Path | None = None
    least: float = MIN_CONFIDENCE
    on_surface: bool = False
    force: bool = False
    reflections: bool = True
    more_experts: tuple[Path, ...] = ()
    in_pairs: bool = False
    estimate_missing: bool = False
    same_scale: bool = False
    notes: tuple[str, ...] = ()


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
    jobs: JobRunner,
    report: Callable[[JournalEntry], None],
) -> MatchResult:
    """Read the scans, match them, place landmarks on the reference, carry them to all others.

    The files of each specimen are written as they come, and its entry is reported. A scan that
    cannot be read is an entry with its reason, and the others go on without it. What was computed
    once is in the store of `jobs`, so that an interrupted run resumes where it was.

    Raises
    ------
    SettingsError
        There is no such reference, or nothing can be read.
    StoppedError
        Somebody asked to stop.
    """
    specimens = {each.key: each for each in found.specimens}
    reference = asked.reference and key_called(asked.reference, list(specimens))
    writer = SpecimenWriter(output, journal, asked.force, jobs.is_remote)
    for entry in writer.keep_unreadable(found.closed):
        report(entry)
    scans = prepare_scans(found.specimens, asked.request.rules, jobs, reference)
    for key, outcome in scans.failed.items():
        report(writer.write(outcome, specimens[key], {}))
    scans.check(reference)

    def placed_on(scan: ScanSource) -> Landmarks:
        return landmarks_of_reference(scan, asked.request, asked.expert, in_pairs=asked.in_pairs)

    # What is wrong with an expert's landmarks is said before the long work.
    landmarks = None if reference is None else placed_on(scans.scans[reference])
    sample, notes = join_sample(
        scans, output, jobs, reference=reference, reflections=asked.reflections,
        same_scale=asked.same_scale, again=asked.force,
    )  # fmt: skip
    middle = sample.specimens[sample.reference].name
    origin = scans.scans[middle].loaded()
    landmarks = landmarks or placed_on(origin)
    paired = pair_reference(sample, landmarks, origin, jobs.values) if asked.in_pairs else None
    landmarks = paired.landmarks if paired else landmarks
    named = zip(landmarks.labels, landmarks.points, strict=True)
    keys = [content_key((landmarks.specimen, label, point))[:16] for label, point in named]
    notes += note_replaced(journal.entries.values(), keys, output)
    carried: dict[str, CarriedLandmarks] = {}
    predicted = _predicted(sample, landmarks, asked, jobs)
    notes += predicted.notes if predicted else ()
    sources = {**scans.scans, middle: origin}
    outcomes = _carry(sample, landmarks, sources, asked, jobs, predicted, paired)
    with closing(outcomes):  # a full disk ends the jobs, too
        for key, outcome in outcomes:
            if outcome.is_done:
                carried[key] = outcome.value
                known = {**scans.ready[key].facts, **sample_facts(sample, key)}
                files = {**outcome.value.files, **scans.ready[key].files}
                result = SpecimenResult(files, {**known, **outcome.value.facts})
                outcome = replace(outcome, value=result)
            report(writer.write(outcome, specimens[key], {"landmarks": keys}))
    writer.clear_others(carried, specimens)
    wanted = {*specimens, *found.closed}
    entries = [as_found(each, output) for key, each in journal.entries.items() if key in wanted]
    if any(each.key == middle and each.is_done and each.reason for each in entries):
        notes += (REFERENCE_EDITED.format(middle),)
    asides = {each.key: each.facts["aside"] for each in entries if "aside" in each.facts}
    notes += tuple(f"{key}: {said}" for key, said in asides.items())
    return MatchResult(
        sample,
        landmarks,
        tuple(sorted(entries, key=lambda each: each.key)),
        _correspondence(sample, carried),
        notes,
    )


def _predicted(
    sample: SampleMatch, landmarks: Landmarks, asked: MatchRequest, jobs: JobRunner
) -> PredictedSample | None:
    """The expert's landmarks predicted from several specimens; None if only one is annotated."""
    if not asked.more_experts:
        return None
    given = gather_experts(
        [read_landmarks(path) for path in asked.more_experts],
        [each.name for each in sample.specimens],
    ).landmarks
    wanted = next(iter(given.values())).labels
    first = landmarks.chosen([k for k, label in enumerate(landmarks.labels) if label in wanted])
    return predict(
        sample, {**given, landmarks.specimen: first}, on_surface=asked.on_surface, run=jobs.values
    )


def _carry(
    sample: SampleMatch,
    landmarks: Landmarks,
    scans: Mapping[str, ScanSource],
    asked: MatchRequest,
    jobs: JobRunner,
    predicted: PredictedSample | None,
    paired: PairedReference | None,
) -> Generator[tuple[str, Outcome], None, None]:
    """Carry the landmarks to every specimen; yield its key and the outcome."""
    tasks = carry_tasks(
        sample, landmarks, scans, asked.least, asked.on_surface, asked.request.extension,
        predicted, paired,
    )  # fmt: skip
    memory = [memory_to_read(task.scan) for task in tasks]
    outcomes = jobs.outcomes(carry_to_scan, tasks, memory=memory)
    with closing(outcomes):
        for number, outcome in outcomes:
            yield tasks[number].scan.key, outcome


def _correspondence(
    sample: SampleMatch, carried: Mapping[str, CarriedLandmarks]
) -> Correspondence | None:
    """Where many points of the reference lie on every whole specimen with landmarks, if any."""
    there = [each for each in sample.specimens if each.name in carried and not each.is_fragment]
    if not there:
        return None
    return Correspondence(
        tuple(each.name for each in there),
        np.stack([carried[each.name].points for each in there]),
        np.stack([carried[each.name].weights for each in there]),
        np.array([each.root_area for each in there]),
    )


def sample_facts(sample: SampleMatch, key: str) -> dict[str, Any]:
    """Agreement on its pose, distance from the reference, and the whole specimen most like it."""
    number = [each.name for each in sample.specimens].index(key)
    facts: dict[str, Any] = {
        "agreement": float(sample.agreement[number]),
        "reference_distance": float(sample.distances[number, sample.reference]),
    }
    others = sample.distances[number].copy()
    others[[each.is_fragment for each in sample.specimens]] = np.inf
    others[number] = np.inf
    if np.isfinite(others).any():
        nearest = int(others.argmin())
        facts |= {
            "nearest": sample.specimens[nearest].name,
            "nearest_distance": float(others[nearest]),
        }
    return facts
