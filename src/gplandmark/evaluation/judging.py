# SPDX-License-Identifier: MIT
"""What errors, confidences and sides say about the maps of a sample, as figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.analysis import align
from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.landmarks import Landmarks
from gplandmark.matching.carrying import LEAST

__all__ = [
    "FAR", "NEAR", "Honesty", "Sides", "Spread", "honesty", "mean_known", "sides", "spread",
]  # fmt: skip

FAR = 0.15  # mean error of a pair, in sqrt(area), above which its map is wrong
NEAR = 0.1  # error of a landmark up to which it is right, as confidence has it
BETTER = 0.5  # of the squares: what the better side leaves, at most, where sides are certain
FLAT = 0.02  # third spread over the first: flatter landmarks fit their mirror image by chance
ROUNDING = 1e-12  # of the squares: landmarks in one plane have no side


@dataclass(frozen=True)
class Spread:
    """Errors of a number of pairs, each the mean over its landmarks, in units of sqrt(area).

    Attributes
    ----------
    pairs : how many
    mean, median, ninetieth, worst : of them; nine tenths lie below the ninetieth
    near : share of the pairs below 0.15
    """

    pairs: int
    mean: float
    median: float
    ninetieth: float
    worst: float
    near: float


@dataclass(frozen=True)
class Honesty:
    """Whether confidence tells how far landmarks can be trusted.

    Attributes
    ----------
    told : mean confidence, which is a chance to lie within 0.1
    true : share that does lie within 0.1
    lowest : error of the tenth with the lowest confidence, over that of all
    lowest_near : share of that tenth within 0.1
    missing : share with a confidence below 0.5
    kept : mean error of the others; None if there are none
    kept_near : share of the others within 0.1; None if there are none
    dropped : mean error of the missing ones; None if there are none
    """

    told: float
    true: float
    lowest: float
    lowest_near: float
    missing: float
    kept: float | None
    kept_near: float | None
    dropped: float | None


@dataclass(frozen=True, eq=False)
class Sides:
    """Left and right of s specimens, as the maps and the observers' landmarks have it.

    Attributes
    ----------
    found : (s,) which the maps take for mirror images of the reference
    observed : (s,) which are mirror images of the observers' mean shape
    certain : (s,) for which the observers' landmarks can tell
    """

    found: BoolArray
    observed: BoolArray
    certain: BoolArray

    @property
    def right(self) -> BoolArray:
        """Which of the certain ones agree, (s,).

        Which side is called mirrored is arbitrary on both sides, so that the majority is right;
        of equally many, those that agree with the first.
        """
        same = self.found == self.observed
        votes = same[self.certain]
        ahead = 2 * int(votes.sum()) - len(votes)
        if ahead < 0 or (ahead == 0 and not votes[:1].all()):
            same = ~same
        return np.asarray(same & self.certain)


def mean_known(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Mean over an axis of what is not NaN; NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def spread(errors: FloatArray) -> Spread | None:
    """Figures of the errors (p,) of pairs, NaN left out; None if nothing is left."""
    known = errors[~np.isnan(errors)]
    if not len(known):
        return None
    return Spread(
        len(known),
        float(known.mean()),
        float(np.median(known)),
        float(np.quantile(known, 0.9)),
        float(known.max()),
        float(np.mean(known < FAR)),
    )


def honesty(errors: FloatArray, confidence: FloatArray) -> Honesty:
    """Compare errors (m,) of landmarks with their confidence (m,); m is 1 or more."""
    order = np.argsort(confidence, kind="stable")
    low = errors[order[: max(1, len(order) // 10)]]
    missing = confidence < LEAST
    average = float(errors.mean())
    return Honesty(
        float(confidence.mean()),
        float(np.mean(errors < NEAR)),
        float(low.mean() / average) if average > 0 else 1.0,
        float(np.mean(low < NEAR)),
        float(missing.mean()),
        _mean(errors[~missing]),
        _mean(errors[~missing] < NEAR),
        _mean(errors[missing]),
    )


def sides(collection: Sequence[Landmarks], found: BoolArray) -> Sides:
    """Compare the sides (s,) that the maps found with those of the observers' landmarks.

    A specimen X is laid upon the mean shape C of all, mirror images allowed, by a rotation and by a
    reflection. With X^T C = U S V^T, both of size 1, the two leave 2 - 2 (s_1 + s_2 +- s_3)
    of the squares, the sign by det(U V^T). The landmarks are certain of the side where the
    better one leaves half of the other at most. Those that lie nearly in a plane can tell nothing.
    """
    mean = align(collection, reflect=True).consensus
    observed, certain = np.zeros((2, len(collection)), dtype=bool)
    for row, landmarks in enumerate(collection):
        known = ~landmarks.missing
        shape, onto = _of_size_one(landmarks.points[known]), _of_size_one(mean[known])
        left, values, right = np.linalg.svd(shape.T @ onto)
        observed[row] = np.linalg.det(left @ right) < 0
        better, other = 1 - values.sum(), 1 - values[0] - values[1] + values[2]
        is_flat = values[2] < FLAT**2 * values[0]
        certain[row] = better < BETTER * other - ROUNDING and not is_flat
    return Sides(found, observed, certain)


def _of_size_one(points: FloatArray) -> FloatArray:
    centred = points - points.mean(axis=0)
    return np.asarray(centred / np.linalg.norm(centred))


def _mean(values: FloatArray | BoolArray) -> float | None:
    return float(values.mean()) if len(values) else None
