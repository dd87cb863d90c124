# SPDX-License-Identifier: MIT
"""Winding: which faces to turn so that all of a piece look to the same side."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gplandmark.io.cleaning.defects import Census, double_areas
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import loops_called

__all__ = ["faces_to_turn", "inside_out"]


def faces_to_turn(points: FloatArray, triangles: IndexArray) -> BoolArray:
    """Tell which faces to turn so that neighbours agree, shape (m,); the larger part stays.

    Every face stands twice in a graph, as it is and turned, and is tied to its neighbours as they
    must be beside it. A patch that can be wound alike falls into two parts, each the other turned;
    on a one-sided patch both hang together, and nothing is turned.
    """
    count = len(triangles)
    one, two = _hinges(triangles, len(points))
    same = triangles.ravel()[one] == triangles.ravel()[two]  # both leave the same end: opposed
    left, right = one // 3, two // 3
    rows = np.concatenate([left, left + count])
    columns = np.concatenate([right + count * same, right + count * ~same])
    graph = coo_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(2 * count, 2 * count)
    )
    parts, labels = connected_components(graph, directed=False)
    as_is, turned = labels[:count], labels[count:]
    size = np.bincount(as_is, double_areas(points, triangles), parts)
    smaller = size[as_is] < size[turned]
    tied = (size[as_is] == size[turned]) & (as_is > turned)
    return np.asarray(smaller | tied)


def inside_out(points: FloatArray, triangles: IndexArray, found: Census) -> BoolArray:
    """Tell which faces belong to a closed piece whose volume is negative, shape (m,)."""
    none = np.zeros(len(triangles), dtype=bool)
    if found.rim + found.crowded and found.piece_count(triangles) == 1:
        return none
    labels, piece = np.unique(found.pieces[triangles[:, 0]], return_inverse=True)
    one, _ = _hinges(triangles, len(points))
    sides, hinged = np.bincount(piece), np.bincount(piece[one // 3], minlength=len(labels))
    closed = 3 * sides == 2 * hinged
    if not closed.any():
        return none
    corners = points[triangles] - points[triangles[0, 0]]
    volume = np.bincount(piece, np.linalg.det(corners), len(labels))
    return np.asarray((closed & (volume < 0))[piece])


def _hinges(triangles: IndexArray, vertex_count: int) -> tuple[IndexArray, IndexArray]:
    """Half-edges of the edges in exactly two triangles."""
    one, two = np.zeros((2, 3 * len(triangles) // 2), dtype=np.int64)
    found = loops_called().pairs(triangles, vertex_count, one, two)
    return one[:found], two[:found]
