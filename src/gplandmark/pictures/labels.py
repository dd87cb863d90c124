# SPDX-License-Identifier: MIT
"""Where the number of a landmark goes, so that it covers neither marks nor other numbers."""

from collections.abc import Sequence

import numpy as np

from gplandmark.arrays import FloatArray

__all__ = ["label_offsets"]

LETTER = np.array([5.1, 7.4])  # width and height of a digit, in points, at the size we use
GAP = 1.0
DIRECTIONS = np.array(
    [[np.cos(angle), np.sin(angle)] for angle in np.radians([45, 0, 90, 135, -45, 180, -90, -135])]
)


def label_offsets(places: FloatArray, labels: Sequence[str], mark_size: float) -> FloatArray:
    """Choose, one after the other, the side of each mark where its label overlaps least.

    Parameters
    ----------
    places : (k, 2) centres of the marks, in points
    labels : their texts
    mark_size : diameter of a mark, in points

    Returns
    -------
    (k, 2) from each mark to the centre of its label, in points. Of equal sides the first
    of `DIRECTIONS` is taken: above and to the right.
    """
    mark = np.full(2, mark_size / 2)
    centres, halves = list(places), [mark] * len(places)
    offsets = np.zeros((len(places), 2))
    for number, (place, text) in enumerate(zip(places, labels, strict=True)):
        half = LETTER * np.array([max(len(text), 1), 1]) / 2
        choices = DIRECTIONS * (half + mark_size / 2 + GAP)
        taken = [
            _overlap(place + choice, half, np.array(centres), np.array(halves))
            for choice in choices
        ]
        offsets[number] = choices[int(np.argmin(np.round(taken, 6)))]
        centres.append(place + offsets[number])
        halves.append(half)
    return offsets


def _overlap(
    centre: FloatArray, half: FloatArray, centres: FloatArray, halves: FloatArray
) -> float:
    """Area that a box shares with other boxes."""
    shared = np.clip(half + halves - np.abs(centres - centre), 0, 2 * np.minimum(half, halves))
    return float(shared.prod(axis=1).sum())
