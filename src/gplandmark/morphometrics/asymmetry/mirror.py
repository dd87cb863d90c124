# SPDX-License-Identifier: MIT
"""Mirror images of specimens with their landmarks relabelled, and what they complete."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.formatting import listed
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import thin_plate_spline
from gplandmark.morphometrics.asymmetry.landmark_pairs import LandmarkPairs
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import best_rotations

SHARED = 4  # landmarks that a specimen and its mirror image need in common


def mirrored(points: FloatArray, pairs: LandmarkPairs) -> FloatArray:
    """Mirror images (..., k, d) of configurations, with left and right exchanged."""
    turned: FloatArray = points[..., pairs.order, :].copy()
    turned[..., 0] *= -1
    return turned


def symmetrised(points: FloatArray, pairs: LandmarkPairs) -> FloatArray:
    """Mean (k, 3) of one specimen and its mirror image, laid on it: a symmetric specimen.

    It keeps the place and the unit of the specimen. A landmark that is missing on one side is
    missing on both.
    """
    other = mirrored(points, pairs)
    known = ~np.isnan(points + other).any(axis=1)
    if known.sum() < SHARED:
        raise AnalysisError(_few(int(known.sum())))
    centre, middle = points[known].mean(axis=0), other[known].mean(axis=0)
    turn = best_rotations(other[known] - middle, points[known] - centre, reflect=False)
    return np.asarray((points + (other - middle) @ turn + centre) / 2)


def filled_from_other_side(points: FloatArray, pairs: LandmarkPairs) -> FloatArray:
    """Landmarks (k, 3) of one specimen, missing ones taken from its mirror image if it has them.

    The thin-plate spline from the mirror image to the specimen, by the landmarks that both have,
    maps the others. A landmark that is missing on both sides, or on the midline, stays missing.

    Raises
    ------
    AnalysisError
        The specimen and its mirror image share fewer than 4 landmarks.
    """
    other = mirrored(points, pairs)
    missing = np.isnan(points).any(axis=1)
    usable = missing & ~np.isnan(other).any(axis=1)
    known = ~missing & ~np.isnan(other).any(axis=1)
    if not usable.any():
        return points
    if known.sum() < SHARED:
        raise AnalysisError(_few(int(known.sum())))
    filled = points.copy()
    filled[usable] = thin_plate_spline(other[usable], other[known], points[known])
    return filled


def completed(collection: Sequence[Landmarks], pairs: LandmarkPairs) -> list[Landmarks]:
    """Landmarks of specimens, missing ones filled from the other side; a note names them."""
    found, filled = [], []
    for each in collection:
        if len(each) == pairs.count and each.missing.any() and not each.missing.all():
            points = filled_from_other_side(each.points, pairs)
            if (np.isnan(points).any(axis=1) != each.missing).any():
                filled.append(each.specimen)
            found.append(replace(each, points=points))
        else:
            found.append(each)
    if filled:
        warn(f"Missing landmarks were taken from the other side of {listed('specimen', filled)}.")
    return found


def _few(count: int) -> str:
    return (
        f"A specimen and its mirror image have {count} landmarks in common, and {SHARED} are "
        "needed. Leave the specimen out."
    )
