# SPDX-License-Identifier: MIT
"""How far a carried point may be off, and the chance that it is not far off."""

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray
from gplandmark.matching.points import Points

__all__ = ["NEAR", "confidence", "expected_square", "mismatch"]

NEAR = 0.1  # of sqrt(area): what counts as the right place
PATCH = 0.06  # of sqrt(area): radius of the patch whose form is compared
AROUND = 100  # points of the patch, of 1000: those beyond weigh nothing
LOOP, DETOUR, FORM = 1 / 4, 1 / 2, 3 / 4  # squared error for each square, measured on teeth


def mismatch(
    source: Points, carried: FloatArray, rotation: FloatArray, target: Points, points: FloatArray
) -> FloatArray:
    """Squared distance of features between source and target around points, (m,).

    Each point of the source is compared with the point of the target that is most like it in
    position, normal and form: the nearest alone may lie on the other side of a thin bone. The
    mean over a patch, with weights a exp(-d^2 / (2 r^2)), r = 0.06.

    Parameters
    ----------
    source : points of the source
    carried : (s, 3) where the map takes them on the target
    rotation : (3, 3) of the pose, which turns the normals
    points : (m, 3) on the source
    """
    here = source.features(carried, source.normals @ rotation)
    there = target.features(target.positions, target.normals)
    squares = cKDTree(there).query(here)[0] ** 2
    count = min(AROUND, len(source.positions))
    distances, near = cKDTree(source.positions).query(points, count)
    # From the nearest on, so that a point far off the surface still has a patch.
    window = np.exp((distances[:, :1] ** 2 - distances**2) / (2 * PATCH**2)) * source.weights[near]
    return np.asarray((window * squares[near]).sum(axis=1) / window.sum(axis=1))


def expected_square(
    loop: FloatArray, detour: FloatArray, form: FloatArray, variance: FloatArray
) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the area.

        E|e|^2 = |loop|^2 / 4 + |detour|^2 / 2 + 3 form / 4 + v,

    by what the way there and back leaves, how far another way ends from this one, what the form
    around the point disagrees by, and the posterior variance v.
    """
    return np.asarray(LOOP * loop**2 + DETOUR * detour**2 + FORM * form + variance)


def confidence(square: FloatArray) -> FloatArray:
    """Chance that the error is below 0.1 sqrt(area), (m,).

        1 - exp(-0.1^2 / E|e|^2),

    for an error that is Gaussian in two directions.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))
