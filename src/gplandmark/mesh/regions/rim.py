# SPDX-License-Identifier: MIT
"""The neighbourhood of the open rim, measured along the surface."""

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.topology import boundary_vertices, edge_graph
from gplandmark.numerics.arrays import BoolArray, FloatArray

__all__ = ["across_triangles", "near_rim", "rim_distances"]

LONGEST = 1.2  # paths along edges are at most about this much too long
CHANGE = 1e-4  # relative: smaller ones do not matter
SWEEPS = 500


def near_rim(surface: Surface, distance: float) -> BoolArray:
    """Tell which vertices are at most a distance from the open rim, shape (n,).

    Parameters
    ----------
    surface : with triangles; on a closed one no vertex is near the rim
    distance : along the surface, in units of the file; 0 for the rim itself

    Raises
    ------
    SettingsError
        The distance is negative or not finite.
    """
    if not (distance >= 0 and np.isfinite(distance)):
        raise SettingsError(f"The distance from the rim must be 0 or more, got {distance}.")
    return np.asarray(rim_distances(surface, distance) <= distance)


def rim_distances(surface: Surface, limit: float = np.inf) -> FloatArray:
    """Distance of every vertex from the open rim along the surface, shape (n,).

    Shortest paths along the edges come first; they are too long, and are shortened across the
    triangles (`across_triangles`). Infinite far beyond the limit, and where no path leads.
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
    """Shorten distances (n,) by straight ways across triangles, until nothing changes.

    Where the distances a and b of two corners differ by less than the side c between them, a front
    crosses the triangle with slopes (b - a) / c along the side and sqrt(1 - (b - a)^2 / c^2)
    across it, and reaches the third corner at (x, y) after a + slope x + rise y, if it comes
    through the side.
    """
    triangles = surface.faces()
    triangles = triangles[np.isfinite(distances[triangles]).all(axis=1)]
    start, end, tip = triangles[:, [0, 1, 2, 1, 2, 0, 2, 0, 1]].reshape(-1, 3).T
    side, arm = (
        surface.points[end] - surface.points[start],
        surface.points[tip] - surface.points[start],
    )
    length = np.linalg.norm(side, axis=1)
    proper = length > 0
    start, end, tip, side, arm, length = (
        each[proper] for each in (start, end, tip, side, arm, length)
    )
    x = np.einsum("ij,ij->i", arm, side) / length
    y = np.linalg.norm(arm - x[:, None] * side / length[:, None], axis=1)
    shorter = distances.copy()
    for _ in range(SWEEPS):
        slope = (shorter[end] - shorter[start]) / length
        rise = np.sqrt(np.maximum(1 - slope**2, 0.0))
        enters = x * rise - y * slope
        way = np.where((enters >= 0) & (enters <= length * rise), slope * x + rise * y, np.inf)
        reached = shorter[start] + way
        gain = reached < (1 - CHANGE) * shorter[tip]
        if not gain.any():
            break
        np.minimum.at(shorter, tip[gain], reached[gain])
    return shorter
