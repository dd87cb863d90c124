# SPDX-License-Identifier: MIT
"""Observers' landmarks carried from specimen to specimen, and how far off they arrive."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, GplandmarkWarning
from gplandmark.morphometrics.analysis.configurations import Configurations
from gplandmark.morphometrics.evaluation.observers import Observed
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["PAIRS", "Transfer", "TransferProgress", "transfer"]


PAIRS = 2000  # ordered pairs that are carried at most
TransferProgress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Transfer:
    """k landmarks carried from each of s specimens to each other; NaN where they were not.

    Attributes
    ----------
    points : (s, s, k, 3) from source to target, in the coordinates of the target's file
    errors : (s, s, k) distances to the target's own landmarks, in units of its sqrt(area)
    expected : (s, s, k) expected errors, likewise
    radii : (s, s, k) within which they should lie with a probability of 90 %, likewise
    confidence : (s, s, k) from 0 to 1
    """

    points: FloatArray
    errors: FloatArray
    expected: FloatArray
    radii: FloatArray
    confidence: FloatArray


def transfer(
    sample: SampleMatch, found: Observed, most: int, progress: TransferProgress | None = None
) -> Transfer:
    """Carry landmarks from source to target, and measure their errors.

    e_ijl = |f_ij(x_il) - x_jl| / sqrt(area_j), with x_il landmark l of specimen i and f_ij the map
    from i to j. Where there are more ordered pairs than `most`, so many are drawn.

    Raises
    ------
    AnalysisError
        No two specimens share a landmark.
    """
    given = found.given
    count, labels = given.missing.shape
    points = np.full((count, count, labels, 3), np.nan)
    errors, expected, radii, confidence = np.full((4, count, count, labels), np.nan)
    ends = _drawn(_common(given), most)
    for done, (i, j) in enumerate(ends, start=1):
        both = ~given.missing[i] & ~given.missing[j]
        source, target = int(found.numbers[i]), int(found.numbers[j])
        there, size = sample.carry(given.points[i, both], source, target), found.sizes[j]
        points[i, j, both] = there.points
        errors[i, j, both] = np.linalg.norm(there.points - given.points[j, both], axis=1) / size
        expected[i, j, both] = there.error / size
        radii[i, j, both] = there.radius / size
        confidence[i, j, both] = there.confidence
        if progress is not None:
            progress(done, len(ends))
    return Transfer(points, errors, expected, radii, confidence)


def _common(given: Configurations) -> IndexArray:
    """Ordered pairs (p, 2) of specimens that share a landmark."""
    known = (~given.missing).astype(np.int64)
    shared = known @ known.T
    np.fill_diagonal(shared, 0)
    if not shared.any():
        raise AnalysisError("No two specimens share an observers' landmark that is not missing.")
    return np.argwhere(shared)


def _drawn(ends: IndexArray, most: int) -> IndexArray:
    """Some of the pairs at random, but always the same ones; all of them if they are few."""
    if len(ends) <= most:
        return ends
    warnings.warn(
        f"{most:,} of {len(ends):,} ordered pairs were drawn at random.",
        GplandmarkWarning,
        stacklevel=2,
    )
    return ends[np.sort(np.random.default_rng(0).choice(len(ends), most, replace=False))]
