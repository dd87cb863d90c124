# SPDX-License-Identifier: MIT
"""Which specimen to annotate next: the one that says most about all others.

Specimens are points of a Gaussian process with the covariance exp(-d / l) of their distances d, as
in the prediction. As in Algorithm 1 of the paper, specimens are selected one by one by their
variance, but by that which they remove from all specimens, and not by their own: an outlier, whose
own variance is the largest, says little about the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.prediction.fusion import LENGTH
from gplandmark.numerics.arguments import instance, whole_number
from gplandmark.numerics.arrays import FloatArray

NOISE = 0.1  # of one annotation, relative to the variance between specimens


@dataclass(frozen=True)
class Suggestion:
    """A specimen to annotate.

    Attributes
    ----------
    name : of the specimen
    number : its index in the sample
    remaining : mean variance over all specimens after it, as a fraction of that without any
    """

    name: str
    number: int
    remaining: float


def typical_length(distances: FloatArray) -> float:
    """The length l of the kriging: twice the median distance of two specimens."""
    apart = distances[~np.eye(len(distances), dtype=np.bool_)]
    return float(LENGTH * np.median(apart)) if apart.size and np.median(apart) > 0 else 1.0


def suggest(
    sample: SampleMatch, count: int, annotated: Sequence[int] = ()
) -> tuple[Suggestion, ...]:
    """Specimens to annotate next, the most informative first.

    Each removes the most variance from all specimens, sum_t C(t, s)^2 / (C(s, s) + noise), given
    those before it and those that are `annotated` already.

    Raises
    ------
    SettingsError
        It is no sample, the count is no whole number from 1 on, or a number is of no specimen.
    """
    instance(sample, SampleMatch, "Use gplandmark.match_sample first.")
    annotated = sample.checked_numbers(annotated)
    if whole_number(count, "The number of specimens") < 1:
        raise SettingsError(f"At least 1 specimen must be suggested, got {count}.")
    covariance = np.exp(-sample.distances / typical_length(sample.distances))
    initial = float(np.trace(covariance))
    for number in annotated:
        covariance = _conditioned(covariance, number)
    free = [number for number in range(len(sample)) if number not in set(annotated)]
    found = []
    for _ in range(min(count, len(free))):
        removed = (covariance**2).sum(axis=0) / (np.diag(covariance) + NOISE)
        number = max(free, key=lambda each: removed[each])
        free.remove(number)
        covariance = _conditioned(covariance, number)
        remaining = float(np.trace(covariance)) / initial
        found.append(Suggestion(sample.specimens[number].name, number, remaining))
    return tuple(found)


def _conditioned(covariance: FloatArray, number: int) -> FloatArray:
    """Covariance (n, n) given a noisy observation of one specimen."""
    column = covariance[:, number]
    return np.asarray(covariance - np.outer(column, column) / (column[number] + NOISE))
