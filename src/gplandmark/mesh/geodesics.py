# SPDX-License-Identifier: MIT
"""Distances along a surface."""

import warnings
from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.topology import edge_graph
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Distances", "geodesic_distances"]

Distances: TypeAlias = Callable[[IndexArray], FloatArray]
"""From vertices to the distance (n,) of every vertex to the nearest of them."""

_known: WeakKeyDictionary[Surface, tuple[Distances, str]] = WeakKeyDictionary()


def geodesic_distances(surface: Surface) -> Distances:
    """Return a function from vertices to the distance of every vertex to the nearest, (n,).

    Distances are those of fast marching (potpourri3d), within about a percent on a mesh of any
    size; the heat method loses its digits on large ones. It refuses surfaces on which an edge
    or a vertex joins more than two sheets. There the shortest way along edges is taken, some
    7 % too long, and a warning says so. Where a part of the surface has none of the vertices
    the distance is infinite. Preparations are made once for each surface.
    """
    if surface not in _known:
        marching = _fast_marching(surface)
        note = (
            f"{surface.name} has an edge or a vertex where more than two sheets meet: distances "
            "along it follow the edges, and are some 7 % too long."
        )
        _known[surface] = (marching, "") if marching else (_along_edges(surface), note)
    distances, note = _known[surface]
    if note:
        warnings.warn(note, GplandmarkWarning, stacklevel=2)
    return distances


def _fast_marching(surface: Surface) -> Distances | None:
    """Fast marching from every source at once; None where potpourri3d refuses the surface."""
    from potpourri3d import MeshFastMarchingDistanceSolver  # slow to import

    count = surface.vertex_count
    used, corners = np.unique(proper_triangles(surface), return_inverse=True)
    number = np.full(count, -1)
    number[used] = np.arange(len(used))

    def distances(sources: IndexArray) -> FloatArray:
        starts: list[list[tuple[int, list[float]]]] = [
            [(int(number[vertex]), [])] for vertex in sources if number[vertex] >= 0
        ]
        found = np.full(count, np.inf)
        if starts:
            found[used] = solver.compute_distance(starts, sign=False)
        found[sources] = 0.0
        return found

    try:
        solver = MeshFastMarchingDistanceSolver(surface.points[used], corners.reshape(-1, 3))
        distances(used[:1])
    except RuntimeError:
        return None
    return distances


def _along_edges(surface: Surface) -> Distances:
    """Shortest ways along edges, by Dijkstra's algorithm."""
    graph = edge_graph(surface)

    def distances(sources: IndexArray) -> FloatArray:
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(graph, directed=False, indices=sources, min_only=True))

    return distances
