# SPDX-License-Identifier: MIT
"""How good a match is, measured by landmarks that people placed on the same specimens."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from gplandmark.analysis import groups_of
from gplandmark.analysis.configurations import Configurations
from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import AnalysisError, GplandmarkWarning, SettingsError
from gplandmark.evaluation.grouping import Grouping, groupings
from gplandmark.evaluation.judging import (
    NEAR,
    Honesty,
    Sides,
    Spread,
    honesty,
    mean_known,
    sides,
    spread,
)
from gplandmark.evaluation.observers import keys_of, observed_on
from gplandmark.evaluation.transfer import PAIRS, TransferProgress, transfer_errors
from gplandmark.landmarks import Landmarks
from gplandmark.matching import SampleMatch

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Observers' landmarks carried from specimen to specimen, and where they should have come.

    All errors are distances to the observers' landmarks in units of sqrt(area) of the target.

    Attributes
    ----------
    names : of the s specimens with observers' landmarks, as the sample has them
    labels : of the k landmarks
    errors : (s, s, k) from source to target; NaN where either has no landmark, on the diagonal, and
        for pairs that were not drawn
    confidence : (s, s, k) likewise
    sizes : (s,) sqrt(area) of each, in units of its file
    off : (s, k) how far the observers' landmarks themselves lie off the surfaces
    sides : left and right, as found and as observed
    groups : of each specimen, None where unknown; empty where no groups were given
    groupings : what three kinds of distance say about groups; empty where none were given
    notes : what the user must know
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    errors: FloatArray
    confidence: FloatArray
    sizes: FloatArray
    off: FloatArray
    sides: Sides
    groups: tuple[str | None, ...]
    groupings: tuple[Grouping, ...]
    notes: tuple[str, ...]

    @property
    def pair_errors(self) -> FloatArray:
        """Mean error of each ordered pair, (s, s); NaN where it is not known."""
        return mean_known(self.errors, axis=2)

    @property
    def pairs(self) -> int:
        """How many ordered pairs were carried."""
        return int((~np.isnan(self.pair_errors)).sum())

    @property
    def all_pairs(self) -> Spread:
        """Errors of all pairs."""
        found = spread(self.pair_errors)
        assert found is not None  # `evaluate` refuses to return without a pair
        return found

    @property
    def within_groups(self) -> Spread | None:
        """Errors of pairs of one group; None if there are none."""
        return spread(self.pair_errors[self._same_group()])

    @property
    def between_groups(self) -> Spread | None:
        """Errors of pairs of two known groups; None if there are none."""
        known = np.array([group is not None for group in self._groups()])
        return spread(self.pair_errors[known[:, None] & known & ~self._same_group()])

    @property
    def near(self) -> float:
        """Share of all carried landmarks within 0.1."""
        return float(np.mean(self._known()[0] < NEAR))

    @property
    def honesty(self) -> Honesty:
        """Whether confidence tells how far landmarks can be trusted."""
        return honesty(*self._known())

    def worst_pairs(self, count: int) -> tuple[tuple[int, int], ...]:
        """Numbers of the sources and targets with the largest mean errors, the worst first."""
        return tuple((int(i), int(j)) for i, j in _largest(self.pair_errors, count))

    def worst_landmarks(self, count: int) -> tuple[int, ...]:
        """Numbers of the landmarks with the largest mean errors, the worst first."""
        means = mean_known(self.errors, axis=(0, 1))
        return tuple(int(each) for (each,) in _largest(means, count))

    def _groups(self) -> tuple[str | None, ...]:
        return self.groups or (None,) * len(self.names)

    def _same_group(self) -> BoolArray:
        groups = self._groups()
        return np.array([[one is not None and one == two for two in groups] for one in groups])

    def _known(self) -> tuple[FloatArray, FloatArray]:
        """Errors and confidences of all landmarks that were carried, both (m,)."""
        known = ~np.isnan(self.errors)
        return self.errors[known], self.confidence[known]


def evaluate(
    sample: SampleMatch,
    observed: Mapping[str, Landmarks],
    groups: Mapping[str, str | None] | None = None,
    *,
    matched: Sequence[Landmarks] = (),
    pairs: int = PAIRS,
    progress: TransferProgress | None = None,
) -> Evaluation:
    """Carry observers' landmarks from every specimen to every other, and measure the errors.

    Parameters
    ----------
    sample : the maps that are judged
    observed : landmarks by name of the specimen, the same ones on each; NaN where missing. The
        specimen 'site/a' may be called 'a' where there is one such
    groups : of specimens by name, None where unknown
    matched : landmarks that were carried from the reference, to classify specimens by
    pairs : ordered pairs that are carried at most; of more, so many are drawn, always the same
    progress : called with the number of pairs that are done and of all

    Raises
    ------
    AnalysisError
        Fewer than two specimens have observers' landmarks, no two share one, the landmarks are not
        the same ones everywhere, or no specimen has a group.
    LandmarkFileError
        A landmark lies far off its surface.
    SettingsError
        The number of pairs is below 1.
    """
    if pairs < 1:
        raise SettingsError(f"At least 1 pair must be carried, got {pairs}.")
    with _noted() as notes:
        found = observed_on(sample, observed)
        keys = [each.name for each in sample.specimens]
        told = () if groups is None else _groups(found.given.names, keys, groups)
        collection = _collection(found.given)
        left_right = _sides(collection, sample.mirrored[found.numbers])
        distances = sample.distances[np.ix_(found.numbers, found.numbers)]
        kinds = groupings(distances, collection, matched, told) if told else ()
        errors, confidence = transfer_errors(sample, found, pairs, progress)
    return Evaluation(
        found.given.names,
        found.given.labels,
        errors,
        confidence,
        np.array([sample.specimens[number].size for number in found.numbers]),
        found.off,
        left_right,
        told,
        kinds,
        tuple(notes),
    )


@contextmanager
def _noted() -> Iterator[list[str]]:
    """Yield a list that holds, in the end, the warnings that came up; they are given on, too."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        yield notes
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        notes.append(str(each.message))


def _groups(
    names: Sequence[str], keys: Sequence[str], groups: Mapping[str, str | None]
) -> tuple[str | None, ...]:
    """Group of each name, from a table that may call specimens by the ends of their keys."""
    found = keys_of(groups, keys)
    return groups_of(names, {found.get(name, name): group for name, group in groups.items()})


def _collection(given: Configurations) -> list[Landmarks]:
    rows = zip(given.names, given.points, strict=True)
    return [Landmarks.at(points, name, labels=given.labels) for name, points in rows]


def _sides(collection: Sequence[Landmarks], found: BoolArray) -> Sides:
    try:
        return sides(collection, found)
    except AnalysisError as error:
        sentence = f"Left and right cannot be judged: {error}"
        warnings.warn(sentence, GplandmarkWarning, stacklevel=2)
        return Sides(found, np.zeros_like(found), np.zeros_like(found))


def _largest(values: FloatArray, count: int) -> IndexArray:
    """Places of the largest numbers, (count, d), the largest first; NaN is none."""
    flat = np.where(np.isnan(values), -np.inf, values).ravel()
    order = np.argsort(-flat, kind="stable")[: min(count, int(np.isfinite(flat).sum()))]
    return np.column_stack(np.unravel_index(order, values.shape))
