# SPDX-License-Identifier: MIT
"""How many landmarks? The variance curve, and counts that it suggests."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.numerics.arrays import FloatArray

__all__ = ["COLUMNS", "SHARES", "Curve", "suggested_counts", "variance_curve"]

SHARES = (0.5, 0.2, 0.1, 0.05)
STRAIGHT = 0.01
COLUMNS = ("landmarks", "largest_variance")
FEWEST = 3  # landmarks before a curve can have a knee


@dataclass(frozen=True, eq=False)
class Curve:
    """The largest variance against the number of landmarks.

    Attributes
    ----------
    shares : (m + 1,) largest variance left after 0 to m landmarks, as a share of the start
    reached : for each share of `SHARES` the fewest landmarks that bring the variance to it;
        None if m are not enough
    knee : number of landmarks at the knee; None where the curve has none
    """

    shares: FloatArray
    reached: Mapping[float, int | None]
    knee: int | None

    def table(self) -> str:
        """Return the curve as a CSV table, one number of landmarks per row."""
        buffer = StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(enumerate(self.shares.tolist()))
        return buffer.getvalue()


def variance_curve(landmarks: Landmarks) -> Curve:
    """Return the curve of landmarks that were placed by variance.

    Raises
    ------
    SettingsError
        The landmarks carry no variances, as those of a person.
    """
    outcome = landmarks.record.outcome
    if "largest_variance_after" not in outcome or np.isnan(landmarks.variances).any():
        raise SettingsError(
            f"The landmarks of {landmarks.specimen} carry no variances. Place them anew."
        )
    variances = np.append(landmarks.variances, outcome["largest_variance_after"])
    return suggested_counts(variances, outcome["largest_variance_before"])


def suggested_counts(variances: FloatArray, initial: float) -> Curve:
    """Say where a variance curve falls below 50, 20, 10 and 5 % of its start, and its knee.

    The knee is the point farthest below the straight line from the first point of the curve
    (m, log v_m / v_0) to the last, both axes scaled to 1: before it every landmark adds more
    than the average, after it less. It belongs to the length of the curve, and moves with it.
    A curve that stays within a hundredth of the line has none.

    Parameters
    ----------
    variances : largest variance left after 0, 1, 2, ... landmarks
    initial : largest variance before any landmark

    Raises
    ------
    SettingsError
        There is no variance, one is negative or not finite, or the start is not positive.
    """
    array = np.asarray(variances, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError("A variance curve needs one or more variances of 0 or more.")
    if not (np.isfinite(initial) and initial > 0):
        raise SettingsError(f"The variance at the start must be above 0, got {initial}.")
    shares = np.minimum.accumulate(array / initial)  # accuracy aside, variance only falls
    reached = {share: _first_below(shares, share) for share in SHARES}
    return Curve(shares, reached, _knee(shares))


def _first_below(shares: FloatArray, share: float) -> int | None:
    below = np.flatnonzero(shares <= share)
    return int(below[0]) if len(below) else None


def _knee(shares: FloatArray) -> int | None:
    positive = shares[shares > 0]
    if len(positive) <= FEWEST or positive[-1] == positive[0]:
        return None
    height = np.log(positive)
    across = np.linspace(0, 1, len(height))
    down = (height[0] - height) / (height[0] - height[-1])
    below = down - across
    return int(np.argmax(below)) if below.max() > STRAIGHT else None
