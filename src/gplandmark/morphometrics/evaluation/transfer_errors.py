# SPDX-License-Identifier: MIT
"""Errors of observers' landmarks carried between specimens, and of other programs' landmarks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.morphometrics.analysis.configurations import Configurations
from gplandmark.morphometrics.evaluation.accuracy import mean_known
from gplandmark.morphometrics.evaluation.observers import Observed
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

PAIRS = 2000  # maximal number of ordered pairs
TransferProgress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Transfer:
    """k landmarks carried from each of s specimens to every other; NaN where they were not.

    Attributes
    ----------
    points : (s, s, k, 3) from source to target, in the coordinates of the target's file
    errors : (s, s, k) distances to the observers' landmarks, in units of the target's sqrt(area)
    expected : (s, s, k) expected errors, likewise
    radii : (s, s, k) that errors should not exceed with a probability of 90 %, likewise
    confidence : (s, s, k) from 0 to 1
    """

    points: FloatArray
    errors: FloatArray
    expected: FloatArray
    radii: FloatArray
    confidence: FloatArray


def transfer_between_specimens(
    sample: SampleMatch, found: Observed, most: int, progress: TransferProgress | None = None
) -> Transfer:
    """Carry landmarks from every specimen to every other, and measure their errors.

    e_ijl = |f_ij(x_il) - x_jl| / sqrt(area_j), with x_il landmark l of specimen i and f_ij the map
    from i to j. If there are more ordered pairs than `most`, a random subset of them is used.

    Raises
    ------
    AnalysisError
        No two specimens share a landmark.
    """
    given = found.given
    count, labels = given.missing.shape
    points = np.full((count, count, labels, 3), np.nan)
    errors, expected, radii, confidence = np.full((4, count, count, labels), np.nan)
    pairs = _drawn(_common(given), most)
    for done, (i, j) in enumerate(pairs, start=1):
        both = ~given.missing[i] & ~given.missing[j]
        source, target = int(found.numbers[i]), int(found.numbers[j])
        there, size = sample.carry(given.points[i, both], source, target), found.sizes[j]
        points[i, j, both] = there.points
        errors[i, j, both] = np.linalg.norm(there.points - given.points[j, both], axis=1) / size
        expected[i, j, both] = there.error / size
        radii[i, j, both] = there.radius / size
        confidence[i, j, both] = there.confidence
        if progress is not None:
            progress(done, len(pairs))
    return Transfer(points, errors, expected, radii, confidence)


def _common(given: Configurations) -> IndexArray:
    """Ordered pairs (p, 2) of specimens that share a landmark."""
    known = (~given.missing).astype(np.int64)
    shared = known @ known.T
    np.fill_diagonal(shared, 0)
    if not shared.any():
        raise AnalysisError("No two specimens share an observers' landmark that is not missing.")
    return np.argwhere(shared)


def _drawn(pairs: IndexArray, most: int) -> IndexArray:
    """A random subset of the pairs, always the same; all of them if they are few."""
    if len(pairs) <= most:
        return pairs
    warn(f"{most:,} of {len(pairs):,} ordered pairs were drawn at random.")
    return pairs[np.sort(np.random.default_rng(0).choice(len(pairs), most, replace=False))]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Errors of another program's landmarks, wherever the observers and we have one.

    Attributes
    ----------
    name : of the other program
    errors : (s, k) distances to the observers' landmarks in units of sqrt(area) of the specimen;
        NaN where not compared
    """

    name: str
    errors: FloatArray

    @property
    def compared(self) -> BoolArray:
        """Which landmarks of which specimens were compared, (s, k)."""
        return ~np.isnan(self.errors)

    @property
    def specimens(self) -> int:
        """Number of specimens that were compared."""
        return int(self.compared.any(axis=1).sum())

    @property
    def landmarks(self) -> int:
        """Number of landmarks that were compared on at least one specimen."""
        return int(self.compared.any(axis=0).sum())


@dataclass(frozen=True, eq=False)
class LandmarkComparison:
    """Mean errors of each of k landmarks by f other programs and by us, in file units.

    A landmark is compared on the specimens on which all programs have it. A program that has it
    nowhere does not count, and has NaN.

    Attributes
    ----------
    specimens : (k,) their number
    carried : (k,) ours, carried from one specimen
    median : (k,) ours, median of the positions carried from all other specimens
    answers : (f, k) of the other programs
    """

    specimens: IndexArray
    carried: FloatArray
    median: FloatArray
    answers: FloatArray

    @property
    def difference(self) -> FloatArray:
        """Our median minus the best of the others, (k,): positive where they are better."""
        best = np.where(np.isnan(self.answers), np.inf, self.answers).min(axis=0)
        return np.asarray(self.median - np.where(np.isinf(best), np.nan, best))


def median_errors(found: Observed, carried: Transfer) -> FloatArray:
    """Errors (s, k) of the median position carried from all other specimens; NaN if there is none.

    |m_jl - x_jl| / sqrt(area_j), m_jl the coordinate-wise median over i of f_ij(x_il).
    """
    known = ~np.isnan(carried.errors).all(axis=0)
    medians = np.full(found.given.points.shape, np.nan)
    medians[known] = np.nanmedian(carried.points[:, known], axis=0)
    return np.asarray(np.linalg.norm(medians - found.given.points, axis=2) / found.sizes[:, None])


def compare_program(
    found: Observed, ours: FloatArray, name: str, answers: FloatArray
) -> Comparison:
    """Errors of another program's landmarks (s, k, 3) where our errors (s, k) are known.

    Raises
    ------
    AnalysisError
        Nothing was placed by both.
    """
    errors = np.linalg.norm(answers - found.given.points, axis=2) / found.sizes[:, None]
    errors = np.where(np.isnan(ours), np.nan, errors)
    if np.isnan(errors).all():
        raise AnalysisError(
            f"{name} cannot be compared: it has no landmark that observers placed on the same "
            "specimen and that was carried there."
        )
    return Comparison(name, errors)


def compare_landmarks(
    comparisons: Sequence[Comparison], errors: FloatArray, medians: FloatArray, sizes: FloatArray
) -> LandmarkComparison:
    """Mean errors of each landmark over the specimens that all of one or more comparisons share.

    Parameters
    ----------
    errors : (s, s, k) ours from source to target
    medians : (s, k) of our `median_errors`
    sizes : (s,) sqrt(area) of the specimens, in units of their files
    """
    compared = np.array([each.compared for each in comparisons])
    is_nowhere = ~compared.any(axis=1, keepdims=True)
    shared = (compared | is_nowhere).all(axis=0) & compared.any(axis=0)

    def mean(each: FloatArray) -> FloatArray:
        scaled = np.where(shared, each * sizes[:, None], np.nan)
        return mean_known(scaled, axis=tuple(range(each.ndim - 1)))

    answers = np.array([mean(each.errors) for each in comparisons])
    return LandmarkComparison(shared.sum(axis=0), mean(errors), mean(medians), answers)
