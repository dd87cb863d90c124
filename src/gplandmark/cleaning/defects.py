# SPDX-License-Identifier: MIT
"""Finding defects in arrays; nothing is changed here."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.loops import loops_called

__all__ = [
    "Census",
    "census",
    "double_areas",
    "first_of_equals",
    "has_repeated_corner",
    "repeats",
    "without_area",
]

# A triangle flatter than this, as height over longest side, is a line to rounding.
FLATTEST = 1e-14
SMALL = 1e-6  # of the mean area: a triangle that may be flat
MIXERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@dataclass(frozen=True, eq=False)
class Census:
    """What is odd about the edges and vertices of triangles, in one pass over them.

    Attributes
    ----------
    pieces : (n,) the lowest vertex that each vertex hangs together with
    rim : edges in one triangle
    crowded : edges in more than two
    turned : edges in two that wind against each other
    tied : vertices where fans of triangles meet in a point only
    repeated : triangles with the corners of an earlier one
    """

    pieces: IndexArray
    rim: int
    crowded: int
    turned: int
    tied: int
    repeated: int

    def piece_count(self, triangles: IndexArray) -> int:
        """Number of pieces that these triangles belong to."""
        if (self.pieces == 0).all():
            return 1
        return len(np.unique(self.pieces[triangles[:, 0]]))


def census(triangles: IndexArray, vertex_count: int) -> Census:
    """Take the census of triangles with three different corners each."""
    pieces, totals = np.zeros(vertex_count, dtype=np.int64), np.zeros(5, dtype=np.int64)
    loops_called().census(triangles, pieces, totals)
    return Census(pieces, *totals.tolist())


def first_of_equals(points: FloatArray, used: BoolArray) -> IndexArray | None:
    """Number of the first used point with the same coordinates, shape (n,); None if all differ.

    Sorting one mixed number per point tells within tens of milliseconds that a million points
    differ; only points whose numbers agree are compared.
    """
    bits = (points + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    mixed = np.zeros(len(points), dtype=np.uint64)
    for column, mixer in zip(bits.T, MIXERS, strict=False):
        mixed ^= mixed >> np.uint64(29)
        mixed = (mixed ^ column) * np.uint64(mixer)
    ordered = np.sort(mixed if used.all() else mixed[used])
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(shared) == 0:
        return None
    suspects = np.flatnonzero(used & np.isin(mixed, shared))
    _, first, inverse = np.unique(
        points[suspects] + 0.0, axis=0, return_index=True, return_inverse=True
    )
    same = np.arange(len(points))
    same[suspects] = suspects[first[inverse.ravel()]]
    return same if (same != np.arange(len(points))).any() else None


def double_areas(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """Twice the area of every triangle, shape (m,)."""
    normals = np.zeros((len(triangles), 3))
    loops_called().normals(points, triangles, normals)
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", normals, normals)))


def without_area(points: FloatArray, triangles: IndexArray, areas: FloatArray) -> BoolArray:
    """Tell which triangles have their corners on a line, shape (m,), from their double areas."""
    flat = np.zeros(len(triangles), dtype=bool)
    few = np.flatnonzero(areas <= SMALL * areas.sum() / max(len(areas), 1))  # the rest is not flat
    corners = points[triangles[few]]
    sides = np.square(corners - np.roll(corners, 1, axis=1)).sum(axis=2)
    flat[few] = areas[few] <= FLATTEST * sides.max(axis=1, initial=0.0)
    return flat


def has_repeated_corner(triangles: IndexArray) -> BoolArray:
    """Tell which triangles name a vertex twice, shape (m,)."""
    first, second, third = triangles.T
    return np.asarray((first == second) | (second == third) | (third == first))


def repeats(triangles: IndexArray) -> BoolArray:
    """Tell which triangles have the corners of an earlier one, in any order, shape (m,)."""
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    repeated = np.ones(len(triangles), dtype=bool)
    repeated[first] = False
    return repeated
