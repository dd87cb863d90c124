# SPDX-License-Identifier: MIT
"""Landmarks of annotated specimens that are in several pieces."""

import numpy as np

from gplandmark.morphometrics.evaluation.observers import Observed, distances_from_surface
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.numerics.arrays import BoolArray


def on_largest_pieces(sample: SampleMatch, found: Observed) -> BoolArray:
    """Which landmarks (e, m) of the experts are known and not on a smaller piece.

    Only the largest piece of an annotated specimen is mapped to the others.
    """
    usable = ~found.given.missing
    for row, number in enumerate(found.numbers.tolist()):
        if number in sample.pieces:
            specimen, points = sample.specimens[number], found.given.points[row]
            known = usable[row]
            off = distances_from_surface(specimen, points[known])
            usable[row, known] = off <= distances_from_surface(specimen.entire, points[known])
    return np.asarray(usable)
