# SPDX-License-Identifier: MIT
"""Accuracy of matching, measured by landmarks that people placed on the same specimens."""

from collections.abc import Mapping, Sequence

import numpy as np

from gplandmark.errors import AnalysisError, SettingsError, recorded_warnings, warn
from gplandmark.io.formatting import listed
from gplandmark.io.homology import is_carried, is_untouched
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import groups_of
from gplandmark.morphometrics.analysis.configurations import check_spread
from gplandmark.morphometrics.evaluation.accuracy import centroid_sizes
from gplandmark.morphometrics.evaluation.evaluation import Evaluation
from gplandmark.morphometrics.evaluation.observers import observed_landmarks, specimen_keys
from gplandmark.morphometrics.evaluation.other_programs import program_landmarks
from gplandmark.morphometrics.evaluation.sides_and_groups import Sides, groupings, sides
from gplandmark.morphometrics.evaluation.transfer_errors import (
    PAIRS,
    TransferProgress,
    compare_program,
    median_errors,
    transfer_between_specimens,
)
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import BoolArray

OUR_OWN = (
    "All these landmarks were matched by gplandmark itself, which cannot measure its own errors. "
    "Give landmarks that people placed."
)


def evaluate(
    sample: SampleMatch,
    observed: Mapping[str, Landmarks],
    groups: Mapping[str, str | None] | None = None,
    *,
    answers: Mapping[str, Mapping[str, Landmarks]] | None = None,
    matched: Sequence[Landmarks] = (),
    pairs: int = PAIRS,
    progress: TransferProgress | None = None,
) -> Evaluation:
    """Carry observers' landmarks from every specimen to every other, and measure the errors.

    Parameters
    ----------
    sample : the maps to evaluate
    observed : the same landmarks on each specimen, by its name; NaN where missing. The specimen
        'site/a' may be called 'a' if it is unique
    groups : of specimens by name, None where unknown
    answers : landmarks of other programs, by the name of each and of the specimen; they are
        compared with ours on the same specimens and landmarks
    matched : landmarks that were carried from the reference, to classify specimens by
    pairs : maximal number of ordered pairs; of more, a fixed random subset is used
    progress : called with the number of pairs that are done and of all

    Raises
    ------
    AnalysisError
        Fewer than two specimens have observers' landmarks, no two share one, the landmarks are not
        the same everywhere, all were carried by gplandmark itself, or no specimen has a group;
        answers are for other specimens or landmarks.
    LandmarkFileError
        An observers' landmark lies far off its surface, or answers are in other units or axes.
    SettingsError
        The number of pairs is below 1.
    """
    if not hasattr(sample, "specimens"):
        raise SettingsError(f"Expected a SampleMatch, got {sample!r:.40}. Use match_sample first.")
    if whole_number(pairs, "The number of pairs") < 1:
        raise SettingsError(f"At least 1 pair must be carried, got {pairs}.")
    with recorded_warnings() as notes:
        found = observed_landmarks(sample.specimens, observed)
        check_spread(found.given)
        # Landmarks from matching itself agree with it by construction.
        if all(map(is_untouched, observed.values())):
            raise AnalysisError(OUR_OWN)
        if ours := [name for name, each in observed.items() if is_carried(each)]:
            warn(f"The landmarks of {listed('specimen', ours)} were matched by gplandmark itself; "
                 "only landmarks that people placed can show its accuracy.")  # fmt: skip
        every = {each.name for each in sample.specimens}
        if without := sorted(every.difference(found.given.names)):
            warn(f"Omitted, without observers' landmarks: {listed('specimen', without)}.")
        others = {name: program_landmarks(sample, found, name, each)
                  for name, each in (answers or {}).items()}  # fmt: skip
        names, labels = found.given.names, found.given.labels
        known: tuple[str | None, ...] = ()
        if groups is not None:  # the table may use the last part of a name
            keys = specimen_keys(groups, [each.name for each in sample.specimens])
            known = groups_of(names, {keys.get(key, key): each for key, each in groups.items()})
        shapes = zip(names, found.given.points, strict=True)
        collection = [Landmarks.at(points, name, labels=labels) for name, points in shapes]
        left_right = _sides(collection, sample.mirrored[found.numbers])
        distances = sample.distances[np.ix_(found.numbers, found.numbers)]
        kinds = groupings(distances, collection, matched, known) if known else ()
        carried = transfer_between_specimens(sample, found, pairs, progress)
        medians = median_errors(found, carried)
        comparisons = [compare_program(found, medians, name, each) for name, each in others.items()]
    return Evaluation(
        names=names,
        labels=labels,
        errors=carried.errors,
        expected=carried.expected,
        radii=carried.radii,
        confidence=carried.confidence,
        median_errors=medians,
        sizes=found.sizes,
        centroid_sizes=centroid_sizes(found.given.points),
        off=found.off,
        sides=left_right,
        groups=known,
        groupings=kinds,
        comparisons=tuple(comparisons),
        notes=tuple(notes),
    )


def _sides(collection: Sequence[Landmarks], found: BoolArray) -> Sides:
    try:
        return sides(collection, found)
    except AnalysisError as error:
        warn(f"Left and right cannot be evaluated: {error}")
        return Sides(found, np.zeros_like(found), np.zeros_like(found))
