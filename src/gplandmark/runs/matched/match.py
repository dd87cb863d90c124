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
from gplandmark.morphometrics.matching.carry import LEAST
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.runs.discover import Findings
from gplandmark.runs.journal import Entry, Journal, closed_entries
from gplandmark.runs.matched.carry_job import Landed, land, landings, with_scan
from gplandmark.runs.matched.fingerprints import mark
from gplandmark.runs.matched.join_sample import joined
from gplandmark.runs.matched.read_scans import Readings, memory_to_read, read_scans
from gplandmark.runs.matched.reference import key_called, landmarks_of_reference
from gplandmark.runs.matched.run_jobs import Workshop
from gplandmark.runs.matched.write_specimens import Desk, told
from gplandmark.runs.place_request import Request
from gplandmark.runs.write_results import Writer

__all__ = ["Asked", "Matched", "match_folder", "standing"]


@dataclass(frozen=True)
class Asked:
    """What is asked of a sample.

    Attributes
    ----------
    request : how scans are cleaned, and landmarks placed on the reference
    reference : key of the specimen they are placed on; None for the most central one
    expert : file with landmarks on the reference that come first
    least : confidence below which a landmark is missing
    on_surface : let all landmarks lie on the surface; else those off it keep their offset
    force : match all anew, and replace files of others and what people changed
    send : send scans to the workers
    reflections : whether one specimen may be the mirror image of another
    timeout : seconds after which a scan is given up
    """

    request: Request
    reference: str | None = None
    expert: Path | None = None
    least: float = LEAST
    on_surface: bool = False
    force: bool = False
    send: bool = False
    reflections: bool = True
    timeout: float | None = None


@dataclass(frozen=True, eq=False)
class Matched:
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
    entries: tuple[Entry, ...]
    correspondence: Correspondence | None
    notes: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Key of the reference."""
        return self.sample.specimens[self.sample.reference].name


def match_folder(
    found: Findings,
    asked: Asked,
    output: Path,
    journal: Journal,
    shop: Workshop,
    tell: Callable[[Entry], None],
) -> Matched:
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
    is_elsewhere = shop.workers is not None and not shop.workers.is_local
    writer = Writer(output, journal, asked.force, is_elsewhere)
    for entry in closed_entries(found.closed):
        tell(writer.keep(entry))
    readings = read_scans(
        found.specimens, asked.request.rules, shop, send=asked.send, timeout=asked.timeout
    )
    for key, outcome in readings.failed.items():
        tell(writer.write(outcome, specimens[key], {}))
    readings.check(reference)

    def placed_on(key: str) -> Landmarks:
        return landmarks_of_reference(readings.scans[key], asked.request, asked.expert)

    # What is wrong with an expert's landmarks is said before the long work.
    landmarks = None if reference is None else placed_on(reference)
    sample, notes = joined(
        readings,
        output,
        shop,
        reference=reference,
        reflections=asked.reflections,
        anew=asked.force,
    )
    middle = sample.specimens[sample.reference].name
    landmarks = landmarks or placed_on(middle)
    desk = Desk(specimens, _marks(landmarks), writer, tell)
    landed = _carried(sample, landmarks, readings, asked, shop, desk)
    desk.clear_others(set(landed))
    wanted = {*specimens, *found.closed}
    entries = [told(each, output) for key, each in journal.entries.items() if key in wanted]
    if any(each.key == middle and each.is_done and each.reason for each in entries):
        notes += (_reference_edited(middle),)
    notes += tuple(
        f"{each.key}: {each.facts['aside']}" for each in entries if "aside" in each.facts
    )
    return Matched(
        sample,
        landmarks,
        tuple(sorted(entries, key=lambda each: each.key)),
        _correspondence(sample, landed),
        notes,
    )


def _carried(
    sample: SampleMatch,
    landmarks: Landmarks,
    readings: Readings,
    asked: Asked,
    shop: Workshop,
    desk: Desk,
) -> dict[str, Landed]:
    """Land the landmarks on every specimen, and write them."""
    tasks = landings(
        sample,
        landmarks,
        readings.scans,
        asked.least,
        asked.on_surface,
        asked.request.ending,
    )
    outcomes = shop.outcomes(
        land,
        tasks,
        memory=[memory_to_read(task.scan) for task in tasks],
        prepare=with_scan if asked.send else None,
        timeout=asked.timeout,
    )
    landed: dict[str, Landed] = {}
    with closing(outcomes):  # a full disk ends the jobs, too
        for number, outcome in outcomes:
            key = tasks[number].scan.key
            if outcome.failure is None:
                landed[key] = outcome.value
                facts = {**readings.ready[key].facts, **standing(sample, number)}
                outcome = replace(outcome, value=outcome.value.result(facts))
            desk.write(outcome, key)
    return landed


def _marks(landmarks: Landmarks) -> list[str]:
    """A mark for each landmark of the reference: its name and its place."""
    named = zip(landmarks.labels, landmarks.points, strict=True)
    return [mark((landmarks.specimen, label, point))[:16] for label, point in named]


def _reference_edited(key: str) -> str:
    return (
        f"A person edited the landmarks of the reference {key}; the others have those that were "
        "there before. To carry the edited ones, copy the file and name it with --landmarks."
    )


def _correspondence(sample: SampleMatch, landed: Mapping[str, Landed]) -> Correspondence | None:
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


def standing(sample: SampleMatch, number: int) -> dict[str, Any]:
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
