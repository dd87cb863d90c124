# SPDX-License-Identifier: MIT
"""Directions in which semilandmarks slide: tangents of curves, tangent planes of surfaces."""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.morphometrics.semilandmarks.sliders import Sliders
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import perpendicular_vectors

NEIGHBOURS = 5  # landmarks whose principal axes span the tangent plane, the sliding one included


@dataclass(frozen=True, eq=False)
class Directions:
    """Unit vectors along which landmarks of one specimen slide.

    Attributes
    ----------
    landmarks : (q,) which landmark; one that slides over a surface occurs twice
    vectors : (q, d) the direction; 0 where it is not determined
    """

    landmarks: IndexArray
    vectors: FloatArray


def directions(
    points: FloatArray, sliders: Sliders, normals: FloatArray | None = None
) -> Directions:
    """Directions of all sliders of one specimen (k, d).

    Along a curve it is the direction from the neighbour before to the one after. Over a surface
    there are two: perpendicular to the normal (p, 3) of the surface if it is known, otherwise
    the first two principal axes of the 5 nearest landmarks, as in gpagen of geomorph.
    """
    before, middle, after = sliders.curves.T
    chords = points[after] - points[before]
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    along = np.where(lengths > 0, chords / np.where(lengths > 0, lengths, 1.0), 0.0)
    if normals is not None:
        across = perpendicular_vectors(normals)
    else:
        across = _principal_axes(points, sliders.surfaces)
    return Directions(
        np.concatenate([middle, np.repeat(sliders.surfaces, 2)]),
        np.concatenate([along, across.reshape(-1, points.shape[1])]),
    )


def _principal_axes(points: FloatArray, surfaces: IndexArray) -> FloatArray:
    """Two principal axes (p, 2, d) of the landmarks that are nearest to each of some."""
    if len(surfaces) == 0:
        return np.zeros((0, 2, points.shape[1]))
    tree = scipy.spatial.cKDTree(points)
    around = points[tree.query(points[surfaces], min(NEIGHBOURS, len(points)))[1]]
    centred = around - around.mean(axis=1, keepdims=True)
    return np.asarray(np.linalg.svd(centred, full_matrices=False)[2][:, :2])
