# SPDX-License-Identifier: MIT
"""Whether expected errors, radii and confidence agree with the errors that were measured."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import align
from gplandmark.morphometrics.matching.carry import LEAST
from gplandmark.numerics.arrays import BoolArray, FloatArray

__all__ = ["FAR", "NEAR", "Calibration", "Sides", "Spread", "calibration", "sides", "spread"]

NEAR = 0.1  # error of a landmark up to which it is right, as confidence has it
TENTH = 10  # the landmarks with the largest expected errors: one of so many


@dataclass(frozen=True)
class Calibration:
    """Expected errors, radii and confidence of m landmarks beside their errors.

    Attributes
    ----------
    expected : mean expected error, in the unit of the errors
    error : mean error
    within_radius : share within the radius that should hold 90 %
    largest : mean error of the tenth with the largest expected error, over that of all
    confidence : mean confidence, which is a chance to lie within 0.1
    near : share that does lie within 0.1
    missing : share with a confidence below 0.5
    kept : mean error of the others; None if there are none
    kept_near : share of the others within 0.1; None if there are none
    dropped : mean error of the missing ones; None if there are none
    """

    expected: float
    error: float
    within_radius: float
    largest: float
    confidence: float
    near: float
    missing: float
    kept: float | None
    kept_near: float | None
    dropped: float | None


def calibration(
    errors: FloatArray, expected: FloatArray, radii: FloatArray, confidence: FloatArray
) -> Calibration:
    """Compare errors (m,) with what was expected of them, (m,) each; m is 1 or more.

    Errors, expected errors and radii are in units of sqrt(area).
    """
    missing = confidence < LEAST
    return Calibration(
        float(expected.mean()),
        float(errors.mean()),
        float(np.mean(errors <= radii)),
        _largest(errors, expected),
        float(confidence.mean()),
        float(np.mean(errors < NEAR)),
        float(missing.mean()),
        _mean(errors[~missing]),
        _mean(errors[~missing] < NEAR),
        _mean(errors[missing]),
    )


def _largest(errors: FloatArray, expected: FloatArray) -> float:
    """Mean error of the tenth that should have the largest, over that of all; 1 without errors."""
    order = np.argsort(-expected, kind="stable")
    tenth = errors[order[: max(1, len(order) // TENTH)]]
    average = errors.mean()
    return float(tenth.mean() / average) if average > 0 else 1.0


def _mean(values: FloatArray | BoolArray) -> float | None:
    return float(values.mean()) if len(values) else None


FAR = 0.15  # mean error of a pair, in sqrt(area), above which its map is wrong
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
