# SPDX-License-Identifier: MIT
"""Empty gaps along the axes closed up, so that far-apart components share a small grid.

Points further apart than ``gap`` along an axis do not interact, and still do not when the gap
between them is shortened to ``gap``; distances within a component stay as they are, to the last
bit.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray

__all__ = ["Squeeze", "squeeze"]


@dataclass(frozen=True)
class Axis:
    """Gaps of one axis: where each begins and ends, and the length taken out before it."""

    begins: FloatArray  # (gaps + 1,), the last one at infinity
    ends: FloatArray
    removed: FloatArray
    gap: float

    def __call__(self, x: FloatArray) -> FloatArray:
        """Coordinates with the gaps shortened; what lies inside a gap keeps to its nearer end."""
        k = np.searchsorted(self.ends, x, side="right")
        into, left = x - self.begins[k], self.ends[k] - x
        kept = np.maximum(np.minimum(into, 0.5 * self.gap), self.gap - left)
        inside = (into > 0.0) & np.isfinite(self.begins[k])
        with np.errstate(invalid="ignore"):
            shortened = self.begins[k] + kept
        return np.where(inside, shortened, x) - self.removed[k]


@dataclass(frozen=True)
class Squeeze:
    """The map of all three axes."""

    axes: tuple[Axis, ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) with the gaps of every axis shortened."""
        return np.stack([axis(points[:, k]) for k, axis in enumerate(self.axes)], axis=1)


def squeeze(points: FloatArray, gap: float) -> Squeeze:
    """Shorten every interval longer than ``gap`` that no point (n, 3) has a coordinate in."""
    return Squeeze(tuple(find_gaps(np.sort(points[:, axis]), gap) for axis in range(3)))


def find_gaps(sorted_values: FloatArray, gap: float) -> Axis:
    steps = np.diff(sorted_values)
    wide = np.flatnonzero(steps > gap)
    removed = np.concatenate([[0.0], np.cumsum(steps[wide] - gap)])
    begins, ends = sorted_values[wide], sorted_values[wide + 1]
    return Axis(np.append(begins, np.inf), np.append(ends, np.inf), removed, gap)
