# SPDX-License-Identifier: MIT
"""Where the number of a landmark goes, so that it covers neither marks nor other numbers."""

from collections.abc import Sequence

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["label_offsets"]

OUTSIDE = 1e6  # square points: worse than to cover any other label
LETTER = np.array([5.1, 7.4])  # width and height of a digit, in points, at the size we use
GAP = 1.0
DIRECTIONS = np.array(
    [[np.cos(angle), np.sin(angle)] for angle in np.radians([45, 0, 90, 135, -45, 180, -90, -135])]
)


def label_offsets(
    places: FloatArray, labels: Sequence[str], mark_size: float, right: float = np.inf
) -> FloatArray:
    """Choose, one after the other, the side of each mark where its label overlaps least.

    Parameters
    ----------
    places : (k, 2) centres of the marks, in points
    labels : their texts
    mark_size : diameter of a mark, in points
    right : where the picture ends, in points; labels stay to the left of it

    Returns
    -------
    (k, 2) from each mark to the centre of its label, in points. Of equal sides the first
    of `DIRECTIONS` is taken: above and to the right.
    """
    count = len(places)
    centres, halves = np.zeros((2 * count, 2)), np.full((2 * count, 2), mark_size / 2)
    centres[:count] = places
    for number, text in enumerate(labels):
        taken = count + number
        halves[taken] = LETTER * np.array([max(len(text), 1), 1]) / 2
        sides = places[number] + DIRECTIONS * (halves[taken] + mark_size / 2 + GAP)
        overlaps = _overlaps(sides, halves[taken], centres[:taken], halves[:taken])
        overlaps += OUTSIDE * (sides[:, 0] + halves[taken, 0] > right)
        centres[taken] = sides[int(np.argmin(np.round(overlaps, 6)))]
    return centres[count:] - places


def _overlaps(
    sides: FloatArray, half: FloatArray, centres: FloatArray, halves: FloatArray
) -> FloatArray:
    """Area that a box at each of some places shares with other boxes."""
    apart = np.abs(centres - sides[:, None])
    shared = np.clip(half + halves - apart, 0, 2 * np.minimum(half, halves))
    return np.asarray(shared.prod(axis=2).sum(axis=1))
