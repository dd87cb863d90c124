# SPDX-License-Identifier: MIT
"""The closest points of a surface: of many points by a tree, of one point without one."""

from typing import Any

import numpy as np

from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


class ClosestPoints:
    """Closest points of the triangles that have an area, by a tree that is built once.

    `points` (n, 3) say where the vertices are, if not where the surface has them.
    """

    def __init__(self, surface: Surface, points: FloatArray | None = None) -> None:
        import igl

        self.points = np.ascontiguousarray(surface.points if points is None else points)
        self.triangles = np.ascontiguousarray(proper_triangles(surface))
        self._tree: Any = igl.AABB()
        self._tree.init(self.points, self.triangles)

    def to(self, points: FloatArray) -> tuple[FloatArray, IndexArray, FloatArray]:
        """Squared distances (m,) of points (m, 3), and where: triangles (m,) and points (m, 3)."""
        asked = np.ascontiguousarray(points)
        squares, triangles, found = self._tree.squared_distance(self.points, self.triangles, asked)
        return np.asarray(squares), np.asarray(triangles), np.asarray(found).reshape(-1, 3)


class ClosestTriangle:
    """The triangle of a surface that is closest to one point, as for a click.

    It compares all triangles instead of building a tree: milliseconds per 100,000.
    """

    def __init__(self, surface: Surface) -> None:
        self._points, self._triangles = surface.points, surface.faces()
        corners = [self._points[each] for each in self._triangles.T]
        # A sphere around every triangle.
        self._centres = (corners[0] + corners[1] + corners[2]) / 3
        self._radii = np.max([vector_lengths(each - self._centres) for each in corners], axis=0)

    def to(self, point: FloatArray, distance: float) -> tuple[int, FloatArray]:
        """Triangle, and barycentric coordinates (3,) of its point that is closest.

        `distance` is that of any point of the surface, e.g. of the nearest vertex.
        """
        # No triangle whose sphere is farther away than a known point can be closer.
        near = np.flatnonzero(vector_lengths(self._centres - point) - self._radii <= distance)
        weights, distances = closest_on_triangles(point, self._points[self._triangles[near]])
        best = int(distances.argmin())
        return int(near[best]), weights[best]


def closest_on_triangles(point: FloatArray, corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Barycentric coordinates (k, 3) of the closest points of triangles (k, 3, 3); distances (k,).

    The foot of the perpendicular if it lies inside; otherwise the closest point of the three
    sides, which is also right for a triangle without area.
    """
    options = [_foot(point, corners)]
    for start, end in ((0, 1), (1, 2), (2, 0)):
        side = corners[:, end] - corners[:, start]
        length = np.maximum(np.einsum("ij,ij->i", side, side), np.finfo(float).tiny)
        along = np.einsum("ij,ij->i", point - corners[:, start], side) / length
        weights = np.zeros((len(corners), 3))
        weights[:, end] = np.clip(along, 0.0, 1.0)
        weights[:, start] = 1.0 - weights[:, end]
        options.append(weights)
    weights = np.array(options)
    distances = np.linalg.norm(np.einsum("okc,kcd->okd", weights, corners) - point, axis=2)
    distances[np.isnan(distances)] = np.inf
    best = distances.argmin(axis=0), np.arange(len(corners))
    return weights[best], distances[best]


def _foot(point: FloatArray, corners: FloatArray) -> FloatArray:
    """Barycentric coordinates (k, 3) of the foot of the perpendicular, NaN if it lies outside."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(one, two)
    square = np.einsum("ij,ij->i", normal, normal)
    offset = point - corners[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        second = np.einsum("ij,ij->i", np.cross(offset, two), normal) / square
        third = np.einsum("ij,ij->i", np.cross(one, offset), normal) / square
    weights = np.stack([1.0 - second - third, second, third], axis=1)
    weights[~(weights >= 0).all(axis=1)] = np.nan
    return weights


def vector_lengths(vectors: FloatArray) -> FloatArray:
    """Lengths (k,) of vectors (k, d)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))
