# SPDX-License-Identifier: MIT
"""Observers' landmarks carried from specimen to specimen, and how far off they arrive."""

import warnings
from collections.abc import Callable

import numpy as np

from gplandmark.analysis.configurations import Configurations
from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import AnalysisError, GplandmarkWarning
from gplandmark.evaluation.observers import Observed
from gplandmark.matching import SampleMatch

__all__ = ["PAIRS", "TransferProgress", "transfer_errors"]

PAIRS = 2000  # ordered pairs that are carried at most
TransferProgress = Callable[[int, int], None]


def transfer_errors(
    sample: SampleMatch, found: Observed, most: int, progress: TransferProgress | None = None
) -> tuple[FloatArray, FloatArray]:
    """Errors and confidences, both (s, s, k), of landmarks from source to target.

    e_ijl = |f_ij(x_il) - x_jl| / sqrt(area_j), with x_il landmark l of specimen i and f_ij the map
    from i to j. Where there are more ordered pairs than `most`, so many are drawn.

    Raises
    ------
    AnalysisError
        No two specimens share a landmark.
    """
    given = found.given
    count, labels = given.missing.shape
    errors, confidence = np.full((2, count, count, labels), np.nan)
    ends = _drawn(_common(given), most)
    for done, (i, j) in enumerate(ends, start=1):
        both = ~given.missing[i] & ~given.missing[j]
        source, target = int(found.numbers[i]), int(found.numbers[j])
        there = sample.carry(given.points[i, both], source, target)
        offsets = there.points - given.points[j, both]
        errors[i, j, both] = np.linalg.norm(offsets, axis=1) / sample.specimens[target].size
        confidence[i, j, both] = there.confidence
        if progress is not None:
            progress(done, len(ends))
    return errors, confidence


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
