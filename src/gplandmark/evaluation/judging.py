# SPDX-License-Identifier: MIT
"""What errors of pairs and sides say about the maps of a sample, as figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.analysis import align
from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.landmarks import Landmarks

__all__ = ["FAR", "Sides", "Spread", "sides", "spread"]

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
