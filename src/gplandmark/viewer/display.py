# SPDX-License-Identifier: MIT
"""The mesh that a browser is given: the surface itself, or a coarser one of its own vertices.

Every vertex of a display mesh is a vertex of the surface, so that colours are carried over by
number and nothing is interpolated. Clicks are answered by the surface, not by this mesh.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import SettingsError
from gplandmark.surface import Surface

__all__ = ["MOST_VERTICES", "DisplayMesh", "display_mesh"]

MOST_VERTICES = 100_000  # about 200,000 triangles, which any browser of today turns smoothly
FEWEST_VERTICES = 1_000
AIM, ENOUGH = 0.9, 0.7  # shares of the vertices allowed: what is tried for, and what will do
ROUNDS = 8


@dataclass(frozen=True, eq=False)
class DisplayMesh:
    """What is drawn of a surface.

    Attributes
    ----------
    vertices : (k,) vertices of the surface that are drawn
    triangles : (m, 3) corners, which count `vertices`; None for a cloud
    is_whole : whether it is the surface itself
    """

    vertices: IndexArray
    triangles: IndexArray | None
    is_whole: bool


def display_mesh(surface: Surface, most: int = MOST_VERTICES) -> DisplayMesh:
    """The surface itself if it has at most so many vertices, and else a coarser mesh of some.

    Vertices are gathered in the cells of a grid. Of each cell the vertex nearest to the middle of
    its vertices stays, and the triangles between three cells. The grid is made as fine as the
    number allows.

    Raises
    ------
    SettingsError
        Fewer than 1,000 vertices are allowed, or the points do not lie in space.
    """
    if most < FEWEST_VERTICES:
        raise SettingsError(
            f"A display mesh needs at least {FEWEST_VERTICES:,} vertices to show anything, "
            f"got {most:,}."
        )
    if surface.points.shape[1] != 3:
        raise SettingsError(
            f"{surface.name} has points in {surface.points.shape[1]} dimensions; "
            "only those in space can be shown."
        )
    used = np.flatnonzero(surface.covered())
    if len(used) <= most:
        triangles = None
        if surface.triangles is not None:
            number = np.zeros(surface.vertex_count, dtype=np.int64)
            number[used] = np.arange(len(used))
            triangles = number[surface.triangles]
        return DisplayMesh(used, triangles, True)
    cells, count = _cells(surface.points[used], most)
    kept = used[_middlemost(surface.points[used], cells, count)]
    if surface.triangles is None:
        return DisplayMesh(kept, None, False)
    cell = np.zeros(surface.vertex_count, dtype=np.int64)
    cell[used] = cells
    return DisplayMesh(kept, _between_cells(cell[surface.triangles], count), False)


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
    means = np.column_stack(
        [np.bincount(cells, points[:, axis], count) / sizes for axis in range(3)]
    )
    apart = ((points - means[cells]) ** 2).sum(axis=1)
    order = np.lexsort((apart, cells))
    return np.asarray(order[np.append(0, np.cumsum(sizes)[:-1])])


def _between_cells(corners: IndexArray, count: int) -> IndexArray:
    """Triangles whose corners lie in three cells, each once."""
    one, two, three = corners.T
    proper = corners[(one != two) & (two != three) & (three != one)]
    # The smallest corner first, so that equal triangles are equal rows; their sense stays.
    first = proper.argmin(axis=1)
    turned = proper[np.arange(len(proper))[:, None], (first[:, None] + np.arange(3)) % 3]
    codes = (turned[:, 0] * count + turned[:, 1]) * count + turned[:, 2]
    return np.asarray(turned[np.unique(codes, return_index=True)[1]])
