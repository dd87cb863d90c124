# SPDX-License-Identifier: MIT
"""Distances along a surface, between vertices and from its open rim."""

from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import warn
from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.edges import boundary_vertices, edge_graph
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

LONGEST = 1.2  # paths along edges are at most about this much too long
CHANGE = 1e-4  # relative: smaller ones do not matter
SWEEPS = 500

Distances: TypeAlias = Callable[[IndexArray], FloatArray]
"""From vertices to the distance (n,) of every vertex to the nearest of them."""

_known: WeakKeyDictionary[Surface, tuple[Distances, str]] = WeakKeyDictionary()


def geodesic_distances(surface: Surface) -> Distances:
    """Return a function from vertices to the distance of every vertex to the nearest, (n,).

    Distances are those of fast marching (potpourri3d), within about a percent on a mesh of any
    size; the heat method is inaccurate on large ones. Fast marching rejects surfaces on which an
    edge or a vertex joins more than two sheets. There the shortest path along edges is used, some
    7 % too long, with a warning. On a component without any of the vertices the distance is
    infinite. Preparations are made once for each surface.
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
        warn(note)
    return distances


def _fast_marching(surface: Surface) -> Distances | None:
    """Fast marching from every source at once; None if potpourri3d rejects the surface."""
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
    """Shortest paths along edges, by Dijkstra's algorithm."""
    graph = edge_graph(surface)

    def distances(sources: IndexArray) -> FloatArray:
        from scipy.sparse.csgraph import dijkstra

        return np.asarray(dijkstra(graph, directed=False, indices=sources, min_only=True))

    return distances


def rim_distances(surface: Surface, limit: float = np.inf) -> FloatArray:
    """Distance of every vertex from the open rim along the surface, shape (n,).

    Shortest paths along the edges are too long and are then shortened across the triangles
    (`across_triangles`). Infinite far beyond the limit, and if no path exists.
    """
    from scipy.sparse.csgraph import dijkstra

    rim = np.flatnonzero(boundary_vertices(surface))
    if len(rim) == 0:
        return np.full(surface.vertex_count, np.inf)
    along_edges = dijkstra(
        edge_graph(surface), directed=False, indices=rim, min_only=True, limit=LONGEST * limit
    )
    return across_triangles(surface, np.asarray(along_edges, dtype=np.float64))


def across_triangles(surface: Surface, distances: FloatArray) -> FloatArray:
    """Shorten distances (n,) by straight lines across triangles, until nothing changes.

    If the distances a and b of two corners differ by less than the side c between them, a front
    crosses the triangle with slopes (b - a) / c along the side and sqrt(1 - (b - a)^2 / c^2)
    across it, and reaches the third corner at (x, y) after a + slope x + rise y, if it comes
    through the side.
    """
    triangles = surface.faces()
    triangles = triangles[np.isfinite(distances[triangles]).all(axis=1)]
    start, end, tip = triangles[:, [0, 1, 2, 1, 2, 0, 2, 0, 1]].reshape(-1, 3).T
    side = surface.points[end] - surface.points[start]
    arm = surface.points[tip] - surface.points[start]
    length = np.linalg.norm(side, axis=1)
    proper = length > 0
    known = (start, end, tip, side, arm, length)
    start, end, tip, side, arm, length = (each[proper] for each in known)
    x = np.einsum("ij,ij->i", arm, side) / length
    y = np.linalg.norm(arm - x[:, None] * side / length[:, None], axis=1)
    shorter = distances.copy()
    for _ in range(SWEEPS):
        slope = (shorter[end] - shorter[start]) / length
        rise = np.sqrt(np.maximum(1 - slope**2, 0.0))
        enters = x * rise - y * slope
        across = np.where((enters >= 0) & (enters <= length * rise), slope * x + rise * y, np.inf)
        reached = shorter[start] + across
        gain = reached < (1 - CHANGE) * shorter[tip]
        if not gain.any():
            break
        np.minimum.at(shorter, tip[gain], reached[gain])
    return shorter
