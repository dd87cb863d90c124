# SPDX-License-Identifier: MIT
"""Connected pieces of a mesh, the winding of its faces, and its genus."""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.io.scans.defects import DefectCounts, count_defects, double_areas
from gplandmark.io.scans.rules import Components
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of a mesh, in the order of their lowest vertices.

    Attributes
    ----------
    of_triangle : (m,) number of the piece of every triangle
    areas : (p,) area of every piece
    lowest : (p,) lowest vertex of every piece
    """

    of_triangle: IndexArray
    areas: FloatArray
    lowest: IndexArray

    @property
    def largest(self) -> int:
        """The piece with the largest area; of equals the first."""
        return int(np.argmax(self.areas))


def pieces_of(triangles: IndexArray, labels: IndexArray, double_areas: FloatArray) -> Pieces:
    """Sort triangles into pieces by the labels of their vertices."""
    lowest, of_triangle = np.unique(labels[triangles[:, 0]], return_inverse=True)
    areas = np.bincount(of_triangle, double_areas / 2, len(lowest)).astype(np.float64)
    return Pieces(of_triangle, areas, lowest)


def kept_pieces(pieces: Pieces, components: Components) -> BoolArray:
    """Tell which pieces the rule keeps, shape (p,); the largest is always among them."""
    if isinstance(components, str):
        kept = np.full(len(pieces.areas), components == "all")
    else:
        kept = np.asarray(pieces.areas >= components * pieces.areas.sum())
    kept[pieces.largest] = True
    return kept


def pieces_inside(points: FloatArray, triangles: IndexArray, pieces: Pieces) -> int:
    """Number of pieces inside the largest, by its winding number at their lowest vertices."""
    import igl  # slow to import, and most scans have one piece

    others = np.delete(pieces.lowest, pieces.largest)
    shell = triangles[pieces.of_triangle == pieces.largest]
    used, renumbered = np.unique(shell, return_inverse=True)
    low, high = points[used].min(axis=0), points[used].max(axis=0)
    near = ((points[others] >= low) & (points[others] <= high)).all(axis=1)
    # libigl computes this in single precision, where large coordinates end the program.
    scale = 1 / (high - low).max()
    numbers = igl.fast_winding_number(
        (points[used] - low) * scale,
        renumbered.reshape(-1, 3),
        (points[others[near]] - low) * scale,
    )
    return int(np.count_nonzero(np.abs(numbers) > 0.5))


def faces_to_turn(points: FloatArray, triangles: IndexArray) -> BoolArray:
    """Tell which faces to turn so that neighbours agree, shape (m,); the larger part stays.

    Every face is in a graph twice, as it is and turned, and linked to its neighbours as they must
    be beside it. A patch that can be wound alike falls into two parts, each the other turned;
    on a one-sided patch both hang together, and nothing is turned.
    """
    count = len(triangles)
    one, two = _hinges(triangles, len(points))
    same = triangles.ravel()[one] == triangles.ravel()[two]  # both leave the same end: opposed
    left, right = one // 3, two // 3
    rows = np.concatenate([left, left + count])
    columns = np.concatenate([right + count * same, right + count * ~same])
    graph = scipy.sparse.coo_array(
        (np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(2 * count, 2 * count)
    )
    parts, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    as_is, turned = labels[:count], labels[count:]
    size = np.bincount(as_is, double_areas(points, triangles), parts)
    smaller = size[as_is] < size[turned]
    tied = (size[as_is] == size[turned]) & (as_is > turned)
    return np.asarray(smaller | tied)


def inside_out(points: FloatArray, triangles: IndexArray, found: DefectCounts) -> BoolArray:
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
    found = choose_loops().edge_pairs(triangles, vertex_count, one, two)
    return one[:found], two[:found]


@dataclass(frozen=True)
class Topology:
    """Pieces, boundary loops, Euler characteristic, and the genus where there is one.

    The genus is that of all pieces together; it is None where edges lie in more than two faces,
    fans meet in a point, or the surface has only one side.
    """

    components: int
    boundary_loops: int
    euler_characteristic: int
    genus: int | None


def topology(surface: Surface) -> Topology:
    """Count pieces, loops and handles: 2 - 2 g - b = V - E + F for each piece."""
    triangles = surface.faces()
    found = count_defects(triangles, surface.vertex_count)
    used = np.flatnonzero(surface.covered())
    components = len(np.unique(found.pieces[used]))
    low, high, counts = _edges(triangles, surface.vertex_count)
    loops = _loops(low[counts == 1], high[counts == 1])
    euler = len(used) - len(counts) + len(triangles)
    manifold = not (found.crowded or found.tied or found.turned or found.repeated)
    genus = (2 * components - loops - euler) // 2 if manifold else None
    return Topology(components, loops, euler, genus)


def _edges(triangles: IndexArray, count: int) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Both ends of every edge, and in how many triangles it lies."""
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    codes, counts = np.unique(
        np.minimum(start, end) * count + np.maximum(start, end), return_counts=True
    )
    return codes // count, codes % count, counts


def _loops(low: IndexArray, high: IndexArray) -> int:
    """Number of closed curves that edges of the rim form."""
    if len(low) == 0:
        return 0
    ends, index = np.unique(np.concatenate([low, high]), return_inverse=True)
    one, two = index[: len(low)], index[len(low) :]
    graph = scipy.sparse.coo_array(
        (np.ones(len(one), dtype=np.int8), (one, two)), shape=(len(ends),) * 2
    )
    return int(scipy.sparse.csgraph.connected_components(graph, directed=False)[0])
