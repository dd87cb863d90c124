# SPDX-License-Identifier: MIT
"""A coarser mesh of some of the vertices of a surface, one for each cell of a grid."""

import numpy as np

from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

AIM, ENOUGH = 0.9, 0.7  # fractions of the vertices allowed: what is aimed at, and what suffices
ROUNDS = 8


def coarse_mesh(surface: Surface, most: int) -> tuple[IndexArray, IndexArray | None]:
    """At most `most` vertices of a surface in space, and triangles (m, 3) that index them.

    A surface that has no more keeps them all, except those that belong to no triangle. Otherwise
    each cell of a grid keeps the vertex nearest to the mean of its vertices, and triangles between
    three cells are kept. The grid is as fine as the number allows.
    """
    used = np.flatnonzero(surface.covered())
    number = np.zeros(surface.vertex_count, dtype=np.int64)
    if len(used) <= most:
        number[used] = np.arange(len(used))
        return used, None if surface.triangles is None else number[surface.triangles]
    cells, count = _cells(surface.points[used], most)
    kept = used[_middlemost(surface.points[used], cells, count)]
    if surface.triangles is None:
        return kept, None
    number[used] = cells
    return kept, _between_cells(number[surface.triangles], count)


def _cells(points: FloatArray, most: int) -> tuple[IndexArray, int]:
    """Cell of every point, numbered from 0, and how many there are: at most `most`."""
    offsets = points - points.min(axis=0)
    side = float(np.linalg.norm(np.ptp(points, axis=0))) / np.sqrt(most)
    cells, count = _gathered(offsets, side)
    rounds = 0
    while count > most or (count < ENOUGH * most and rounds < ROUNDS):
        # A surface meets as many cells as the inverse square of their side.
        side *= np.sqrt(count / (AIM * most)) if rounds < ROUNDS else 1.5
        cells, count = _gathered(offsets, side)
        rounds += 1
    return cells, count


def _gathered(offsets: FloatArray, side: float) -> tuple[IndexArray, int]:
    row, column, layer = (offsets / side).astype(np.int64).T
    codes = (row * (column.max() + 1) + column) * (layer.max() + 1) + layer
    filled, cells = np.unique(codes, return_inverse=True)
    return cells, len(filled)


def _middlemost(points: FloatArray, cells: IndexArray, count: int) -> IndexArray:
    """Number of the point of each cell that is nearest to the mean of its points."""
    sizes = np.bincount(cells, minlength=count)
    means = np.column_stack([np.bincount(cells, axis, count) / sizes for axis in points.T])
    apart = ((points - means[cells]) ** 2).sum(axis=1)
    order = np.lexsort((apart, cells))
    return np.asarray(order[np.append(0, np.cumsum(sizes)[:-1])])


def _between_cells(corners: IndexArray, count: int) -> IndexArray:
    """Triangles whose corners lie in three cells, each once."""
    one, two, three = corners.T
    proper = corners[(one != two) & (two != three) & (three != one)]
    # The smallest corner first, so that equal triangles are equal rows; orientation is kept.
    first = proper.argmin(axis=1)
    turned = proper[np.arange(len(proper))[:, None], (first[:, None] + np.arange(3)) % 3]
    codes = (turned[:, 0] * count + turned[:, 1]) * count + turned[:, 2]
    return np.asarray(turned[np.unique(codes, return_index=True)[1]])
