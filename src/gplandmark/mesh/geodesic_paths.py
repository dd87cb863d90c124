# SPDX-License-Identifier: MIT
"""Shortest paths over a surface, between any two of its points."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.edges import edge_graph
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

MOST = 250_000  # vertices: beyond them paths follow the edges, for flips would take seconds
RINGS = 3  # of triangles around a path between vertices, within which it is shortened
NEAR = 3.0  # times the straight distance: where a path along edges is looked for first


@dataclass(frozen=True, eq=False)
class PathEnd:
    """Where a path begins or ends.

    Attributes
    ----------
    point : (3,) its coordinates
    vertex : the vertex of the surface at or near it
    triangle : row of `Surface.triangles` it lies on; -1 where it is the vertex itself
    """

    point: FloatArray
    vertex: int
    triangle: int = -1


class GeodesicPaths:
    """Shortest paths between points of a mesh.

    They are straight across triangles, by edge flips (potpourri3d): locally shortest, beginning
    with the shortest path along the edges. Where more than two sheets meet, and on very large
    meshes, they follow the edges between the vertices nearest to the ends. Preparations are made
    once.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    def between(self, start: PathEnd, end: PathEnd) -> FloatArray:
        """Points (k, 3) from one end to the other; a straight line if they are not connected."""
        if self._share_triangle(start, end):
            return np.vstack([start.point, end.point])
        path = self._between_vertices(start.vertex, end.vertex)
        if len(path) and max(start.triangle, end.triangle) >= 0 and self._flips[0] is not None:
            shorter = _shortened(self._surface, self._around(path), start, end)
            if len(shorter):
                return shorter
        return np.vstack([start.point, path[1:-1], end.point])

    def _share_triangle(self, start: PathEnd, end: PathEnd) -> bool:
        if self._surface.triangles is None:
            return True
        corners = self._surface.faces()
        one, other = (
            {each.vertex} if each.triangle < 0 else set(corners[each.triangle].tolist())
            for each in (start, end)
        )
        is_corner = min(start.triangle, end.triangle) < 0 and (one <= other or other <= one)
        return start.triangle == end.triangle >= 0 or is_corner

    def _around(self, path: FloatArray) -> IndexArray:
        """Triangles near a path."""
        faces = proper_triangles(self._surface)
        near = np.zeros(self._surface.vertex_count, dtype=bool)
        near[self._tree.query(path)[1]] = True
        for _ in range(RINGS):
            chosen = near[faces].any(axis=1)
            near[faces[chosen]] = True
        return np.asarray(faces[chosen])

    def _between_vertices(self, start: int, end: int) -> FloatArray:
        """Points (k, 3) from one vertex to another; none, (0, 3), if they are not connected."""
        if start == end:
            return np.asarray(self._surface.points[[start]])
        flips, numbers = self._flips
        if flips is not None and min(numbers[[start, end]]) >= 0:
            try:
                found = flips.find_geodesic_path(int(numbers[start]), int(numbers[end]))
                return np.asarray(found, dtype=np.float64).reshape(-1, 3)
            except RuntimeError:  # not connected
                return np.zeros((0, 3))
        return self._along_edges(start, end)

    @cached_property
    def _tree(self) -> "scipy.spatial.cKDTree":
        return scipy.spatial.cKDTree(self._surface.points, compact_nodes=False, balanced_tree=False)

    @cached_property
    def _flips(self) -> tuple[Any, IndexArray]:
        """A solver, None if it rejects the surface; and its numbers of the vertices, or -1."""
        from potpourri3d import EdgeFlipGeodesicSolver  # slow to import

        surface = self._surface
        numbers = np.full(surface.vertex_count, -1)
        used, corners = np.unique(proper_triangles(surface), return_inverse=True)
        numbers[used] = np.arange(len(used))
        if len(used) > MOST:
            return None, numbers
        try:
            return EdgeFlipGeodesicSolver(surface.points[used], corners.reshape(-1, 3)), numbers
        except RuntimeError:
            return None, numbers

    @cached_property
    def _graph(self) -> Any:
        return edge_graph(self._surface)

    def _along_edges(self, start: int, end: int) -> FloatArray:
        from scipy.sparse.csgraph import dijkstra

        points = self._surface.points
        reach = NEAR * float(np.linalg.norm(points[end] - points[start]))
        for limit in (reach, np.inf):
            distances, before = dijkstra(
                self._graph, directed=False, indices=start, limit=limit, return_predecessors=True
            )
            if np.isfinite(distances[end]):
                break
        else:
            return np.zeros((0, 3))
        path = [end]
        while path[-1] != start:
            path.append(int(before[path[-1]]))
        return np.asarray(points[path[::-1]])


def _shortened(surface: Surface, near: IndexArray, start: PathEnd, end: PathEnd) -> FloatArray:
    """The path between points within triangles, over some triangles (m, 3); none if it fails."""
    from potpourri3d import EdgeFlipGeodesicSolver

    points = surface.points
    for each in (start, end):
        if each.triangle >= 0:
            near = _divided(near, surface.faces()[each.triangle], len(points))
            points = np.vstack([points, each.point])
    last = len(points) - 1
    goal = end.vertex if end.triangle < 0 else last
    begin = start.vertex if start.triangle < 0 else last - (end.triangle >= 0)
    corners, original = _without_pinches(near)
    try:
        solver = EdgeFlipGeodesicSolver(points[original], corners)
        ends = (int(np.flatnonzero(original == each)[0]) for each in (begin, goal))
        return np.asarray(solver.find_geodesic_path(*ends)).reshape(-1, 3)
    except (RuntimeError, IndexError):
        return np.zeros((0, 3))


def _divided(triangles: IndexArray, corners: IndexArray, vertex: int) -> IndexArray:
    """Triangles (m, 3), one of them divided in three by a vertex within it."""
    rest = triangles[~(triangles == corners).all(axis=1)]
    a, b, c = corners
    return np.vstack([rest, [[a, b, vertex], [b, c, vertex], [c, a, vertex]]])


def _without_pinches(triangles: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Triangles (m, 3) that meet in a vertex, but in no edge there, get a vertex each.

    Returns
    -------
    corners : (m, 3) new numbers of the vertices
    original : (k,) the vertex that each of them was
    """
    size = 3 * len(triangles)
    corner = np.arange(size).reshape(-1, 3)
    # Every side twice: once for the corner at its start, once for the one at its end.
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2)
    codes = (sides[..., 0] * (triangles.max() + 1) + sides[..., 1]).ravel()
    order = np.argsort(codes, kind="stable")
    same = codes[order][1:] == codes[order][:-1]
    one, other = order[:-1][same], order[1:][same]
    following = np.roll(corner, -1, axis=1).ravel()
    pairs = []
    flat = triangles.ravel()
    for left in (one, following[one]):
        for right in (other, following[other]):
            is_same = flat[left] == flat[right]
            pairs.append((left[is_same], right[is_same]))
    rows, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    links = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    count, labels = scipy.sparse.csgraph.connected_components(links, directed=False)
    original = np.zeros(count, dtype=np.int64)
    original[labels] = flat
    return labels.reshape(-1, 3), original
