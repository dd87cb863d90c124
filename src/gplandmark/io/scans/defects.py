# SPDX-License-Identifier: MIT
"""Finding defects in meshes, without changing anything."""

from dataclasses import dataclass

import numpy as np

from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops
from gplandmark.numerics.threads import chunks, run_threaded

# A triangle flatter than this, as height over longest side, is a line to rounding.
FLATTEST = 1e-14
FARTHEST = 1e50  # the squares of areas beyond this are not finite
SMALL = 1e-6  # of the mean area: a triangle that may be flat
PART = 32_768  # points or triangles at a time, which stay in the cache
MIXERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


@dataclass(frozen=True, eq=False)
class DefectCounts:
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

    def is_connected(self) -> bool:
        """Tell whether all vertices hang together, so that triangles use each of them."""
        return bool((self.pieces == 0).all())

    def piece_count(self, triangles: IndexArray) -> int:
        """Number of pieces that these triangles belong to."""
        if self.is_connected():
            return 1
        return len(np.unique(self.pieces[triangles[:, 0]]))


def count_defects(triangles: IndexArray, vertex_count: int) -> DefectCounts:
    """Count the defects of triangles with three different corners each."""
    pieces, totals = np.empty(vertex_count, dtype=np.int64), np.zeros(5, dtype=np.int64)
    choose_loops().components(triangles, pieces)
    choose_loops().count_defects(
        triangles, vertex_count, np.empty(triangles.size, np.int64), totals
    )
    return DefectCounts(pieces, *totals.tolist())


def finite_points(points: FloatArray) -> BoolArray:
    """Tell which points have coordinates that can be computed with, shape (n,)."""
    if len(points) and points.max() < FARTHEST and points.min() > -FARTHEST:
        return np.ones(len(points), dtype=bool)  # the usual case, in a tenth of the time
    return np.asarray((np.abs(points) < FARTHEST).all(axis=1))


def used_vertices(triangles: IndexArray, vertex_count: int) -> BoolArray:
    """Tell which vertices some triangle names, shape (n,)."""
    used = np.zeros(vertex_count, dtype=bool)
    used[triangles] = True
    return used


def first_of_equals(points: FloatArray, used: BoolArray) -> IndexArray | None:
    """Number of the first used point with the same coordinates, shape (n,); None if all differ.

    Sorting one mixed number per point tells within tens of milliseconds that a million points
    differ; only points whose numbers agree are compared.
    """
    ordered = _mixed(points) if used.all() else _mixed(points)[used]
    ordered.sort()
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(shared) == 0:
        return None
    suspects = np.flatnonzero(used & np.isin(_mixed(points), shared))
    _, first, inverse = np.unique(
        points[suspects] + 0.0, axis=0, return_index=True, return_inverse=True
    )
    same = np.arange(len(points))
    same[suspects] = suspects[first[inverse.ravel()]]
    return same if (same != np.arange(len(points))).any() else None


def _mixed(points: FloatArray) -> npt.NDArray[np.uint64]:
    """One number per point that tells most points apart, shape (n,); equal for equal points."""
    mixed = np.zeros(len(points), dtype=np.uint64)

    def part(chosen: slice) -> None:
        bits = (points[chosen] + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        for column, mixer in zip(bits.T, MIXERS, strict=False):
            mixed[chosen] ^= mixed[chosen] >> np.uint64(29)
            mixed[chosen] = (mixed[chosen] ^ column) * np.uint64(mixer)

    run_threaded(part, chunks(len(points), PART))
    return mixed


def double_areas(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """Twice the area of every triangle, shape (m,); in parts that stay in the cache."""
    areas = np.empty(len(triangles))
    run_threaded(
        lambda part: choose_loops().double_areas(points, triangles[part], areas[part]),
        chunks(len(triangles), PART),
    )
    return areas


def without_area(
    points: FloatArray, triangles: IndexArray, areas: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """Tell which triangles name a vertex twice, and which have their corners on a line; both (m,).

    `areas` are twice those of the triangles.
    """
    twice, flat = np.zeros((2, len(triangles)), dtype=bool)
    few = np.flatnonzero(areas <= SMALL * areas.sum() / max(len(areas), 1))  # the rest is not flat
    first, second, third = triangles[few].T
    twice[few] = (first == second) | (second == third) | (third == first)
    corners = points[triangles[few]]
    sides = np.square(corners - np.roll(corners, 1, axis=1)).sum(axis=2)
    flat[few] = areas[few] <= FLATTEST * sides.max(axis=1, initial=0.0)
    return twice, flat


def repeats(triangles: IndexArray) -> BoolArray:
    """Tell which triangles have the corners of an earlier one, in any order, shape (m,)."""
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    repeated = np.ones(len(triangles), dtype=bool)
    repeated[first] = False
    return repeated
