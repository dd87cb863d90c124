# SPDX-License-Identifier: MIT
"""The shape of a surface in whole numbers: pieces, holes, handles."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gplandmark.io.cleaning.defects import census
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import IndexArray

__all__ = ["Topology", "topology"]


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
    found = census(triangles, surface.vertex_count)
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
    graph = coo_array((np.ones(len(one), dtype=np.int8), (one, two)), shape=(len(ends),) * 2)
    return int(connected_components(graph, directed=False)[0])
