# SPDX-License-Identifier: MIT
"""Experts' landmarks on all other scans of a folder, from scans to a landmark file for each."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.evaluation.accuracy import mean_known
from gplandmark.morphometrics.evaluation.observers import observed_landmarks
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.morphometrics.prediction import (
    PredictedSample,
    Suggestion,
    predict,
    suggest,
)
from gplandmark.morphometrics.prediction.carried_experts import ExpertEstimates
from gplandmark.morphometrics.prediction.doubtful import describe_far
from gplandmark.runs.discover import Findings
from gplandmark.runs.job_keys import content_key
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.journal import Journal, JournalEntry
from gplandmark.runs.matched.experts import Experts, gather_experts
from gplandmark.runs.matched.match import sample_facts
from gplandmark.runs.matched.membership import join_sample
from gplandmark.runs.matched.prediction_job import (
    PredictTask,
    expert_facts,
    with_facts,
    write_prediction,
)
from gplandmark.runs.matched.sample_scans import (
    PreparedScans,
    memory_to_read,
    prepare_scans,
)
from gplandmark.runs.place_job import SpecimenResult
from gplandmark.runs.specimen_files import SpecimenWriter, as_found
from gplandmark.runs.stored_values import storable
from gplandmark.visual.pictures import default_camera

storable("ExpertEstimates")(ExpertEstimates)
storable("SpecimenResult")(SpecimenResult)


@dataclass(frozen=True)
class PredictRequest:
    """What is asked of a prediction.

    Attributes
    ----------
    rules : how scans are cleaned
    extension : of the landmark files
    least : confidence below which a landmark is missing
    on_surface : put all landmarks on the surface; else those off it keep their offset
    force : compute everything again, and replace files of others and manual edits
    reflections : whether one specimen may be the mirror image of another
    suggestions : how many specimens to suggest for annotation
    estimate_missing : estimate missing landmarks from the other specimens, in a file apart
    same_scale : whether all files share a unit
    """

    rules: Rules
    extension: str = ".mrk.json"
    least: float = MIN_CONFIDENCE
    on_surface: bool = False
    force: bool = False
    reflections: bool = True
    suggestions: int = 3
    estimate_missing: bool = False
    same_scale: bool = False


@dataclass(frozen=True, eq=False)
class PredictResult:
    """What came of it.

    Attributes
    ----------
    sample : all specimens that could be read, in a common pose
    predicted : landmarks of all of them; None without experts
    entries : how each specimen ended, by key
    suggestions : specimens to annotate next
    experts : the annotated specimens
    notes : what was decided, in sentences
    """

    sample: SampleMatch
    predicted: PredictedSample | None
    entries: tuple[JournalEntry, ...]
    suggestions: tuple[Suggestion, ...]
    experts: Experts
    notes: tuple[str, ...]


def predict_folder(
    found: Findings,
    given: Sequence[Landmarks],
    asked: PredictRequest,
    output: Path,
    journal: Journal,
    jobs: JobRunner,
    report: Callable[[JournalEntry], None],
    earlier: Path | None = None,
) -> PredictResult:
    """Read the scans, carry the experts' landmarks to all others, and write the files of each.

    Parameters
    ----------
    given : experts' landmarks of some scans; none to suggest specimens only
    earlier : a folder of `match` with the same scans, whose members and poses are used

    Raises
    ------
    AnalysisError, LandmarkFileError
        The experts' landmarks do not fit each other or the scans.
    SettingsError
        Nothing can be read.
    StoppedError
        Somebody asked to stop.
    """
    specimens = {each.key: each for each in found.specimens}
    experts = gather_experts(given, list(specimens), journal.entries, output)
    writer = SpecimenWriter(output, journal, asked.force, jobs.is_remote)
    for entry in writer.keep_unreadable(found.closed):
        report(entry)
    scans = prepare_scans(found.specimens, asked.rules, jobs)
    for key, outcome in scans.failed.items():
        report(writer.write(outcome, specimens[key], {}))
    scans.check(None)
    if failed := sorted(set(experts.landmarks) & set(scans.failed)):
        raise SettingsError(
            f"The scan of the annotated specimen {failed[0]} could not be read: "
            f"{scans.failed[failed[0]].reason}"
        )
    if experts.landmarks:  # wrong units are found before hours of work
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)  # `predict` issues them
            observed_landmarks(
                [each.specimen for each in scans.ready.values()], experts.landmarks, fewest=1
            )
    sample, notes = join_sample(
        scans, output, jobs, reflections=asked.reflections, same_scale=asked.same_scale,
        again=asked.force, maps=False, earlier=earlier,
    )  # fmt: skip
    annotated = [n for n, each in enumerate(sample.specimens) if each.name in experts.landmarks]
    suggestions = suggest(sample, asked.suggestions, annotated) if asked.suggestions else ()
    notes = (*experts.notes, *notes)
    if not experts.landmarks:
        return PredictResult(sample, None, (), suggestions, experts, notes)
    predicted = predict(sample, experts.landmarks, on_surface=asked.on_surface, run=jobs.values)
    keys = [content_key(("predicted", label))[:16] for label in predicted.labels]
    done = set()
    outcomes = jobs.outcomes(
        write_prediction,
        tasks := _tasks(predicted, scans, experts, asked),
        memory=[memory_to_read(task.scan) for task in tasks],
    )
    with closing(outcomes):  # a full disk ends the jobs, too
        for number, outcome in outcomes:
            key = tasks[number].scan.key
            done.add(key)
            known = {**scans.ready[key].facts, **sample_facts(sample, key)}
            is_expert = key in experts.landmarks
            outcome = with_facts(outcome, known, scans.ready[key].files, is_expert=is_expert)
            report(writer.write(outcome, specimens[key], {"landmarks": keys}))
    for key in sorted(experts.checked):
        done.add(key)
        before = journal.entries[key]
        report(journal.add(replace(before, facts=expert_facts(before.facts))))
    writer.clear_others(done, specimens)
    wanted = {*specimens, *found.closed}
    entries = [as_found(each, output) for key, each in journal.entries.items() if key in wanted]
    notes += tuple(
        f"{each.key}: {each.facts['aside']}" for each in entries if "aside" in each.facts
    )
    return PredictResult(
        predicted.sample, predicted, tuple(sorted(entries, key=lambda each: each.key)),
        suggestions, experts, (*notes, *predicted.notes, *_far(predicted, experts)),
    )  # fmt: skip


def _far(predicted: PredictedSample, experts: Experts) -> list[str]:
    """What is said of experts' landmarks that may be of another specimen."""
    names = [predicted.names[number] for number in predicted.experts]
    errors = mean_known(predicted.errors, axis=(1,))
    errors[[name in experts.accepted for name in names]] = np.nan  # they agree with themselves
    sizes = [predicted.sample.specimens[number].size for number in predicted.experts]
    return describe_far(names, errors, np.array(sizes))


def _tasks(
    predicted: PredictedSample, scans: PreparedScans, experts: Experts, asked: PredictRequest
) -> list[PredictTask]:
    """What is to be written: all but what a person has checked."""
    sample = predicted.sample
    camera = default_camera(sample.specimens[sample.reference].surface)
    return [
        PredictTask(
            scans.scans[each.name],
            each,
            predicted.landmarks(number, asked.least),
            np.asarray(~predicted.off_surface[number]),
            sample.poses[number],
            camera,
            asked.extension,
        )
        for number, each in enumerate(sample.specimens)
        if each.name not in experts.checked
    ]
