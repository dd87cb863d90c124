# SPDX-License-Identifier: MIT
"""Another program's landmarks and ours, measured side by side in the same places."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.evaluation.accuracy import mean_known
from gplandmark.morphometrics.evaluation.carry_observers import Transfer
from gplandmark.morphometrics.evaluation.observers import Observed
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["Comparison", "LandmarkComparison", "compare", "compare_landmarks", "median_errors"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Another program's landmarks in places where there are observers' landmarks and ours.

    Attributes
    ----------
    name : of the other program's landmarks
    errors : (s, k) distances to the observers' landmarks in units of sqrt(area) of the specimen;
        NaN where they were not compared
    """

    name: str
    errors: FloatArray

    @property
    def compared(self) -> BoolArray:
        """Which landmarks of which specimens were compared, (s, k)."""
        return ~np.isnan(self.errors)

    @property
    def specimens(self) -> int:
        """How many specimens were compared."""
        return int(self.compared.any(axis=1).sum())

    @property
    def landmarks(self) -> int:
        """How many landmarks were compared, on one specimen at least."""
        return int(self.compared.any(axis=0).sum())


@dataclass(frozen=True, eq=False)
class LandmarkComparison:
    """Mean errors of each of k landmarks by f other programs and by us, in units of the files.

    A landmark is compared on specimens on which all programs have it; a program that has it nowhere
    does not count, and has NaN.

    Attributes
    ----------
    specimens : (k,) how many these are
    carried : (k,) ours, carried from one specimen
    median : (k,) ours, median of all other specimens
    answers : (f, k) the others
    """

    specimens: IndexArray
    carried: FloatArray
    median: FloatArray
    answers: FloatArray

    @property
    def difference(self) -> FloatArray:
        """Our median less the best of the others, (k,): positive where they are better."""
        best = np.where(np.isnan(self.answers), np.inf, self.answers).min(axis=0)
        return np.asarray(self.median - np.where(np.isinf(best), np.nan, best))


def median_errors(found: Observed, carried: Transfer) -> FloatArray:
    """Errors (s, k) of the median of what was carried from all other specimens; NaN if nothing was.

    |m_jl - x_jl| / sqrt(area_j), m_jl the coordinate-wise median over i of f_ij(x_il).
    """
    known = ~np.isnan(carried.errors).all(axis=0)
    medians = np.full(found.given.points.shape, np.nan)
    medians[known] = np.nanmedian(carried.points[:, known], axis=0)
    return np.asarray(np.linalg.norm(medians - found.given.points, axis=2) / found.sizes[:, None])


def compare(found: Observed, ours: FloatArray, name: str, answers: FloatArray) -> Comparison:
    """Measure another program's landmarks (s, k, 3) where our errors (s, k) are known.

    Raises
    ------
    AnalysisError
        There is no place that both have.
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
    """Mean errors of each landmark in the places that all of one or more comparisons share.

    Parameters
    ----------
    errors : (s, s, k) ours from source to target
    medians : (s, k) ours, of the median of all other specimens
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
