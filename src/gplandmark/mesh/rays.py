# SPDX-License-Identifier: MIT
"""Where a ray meets a surface: the triangle, and barycentric coordinates in it."""

from dataclasses import dataclass

import numpy as np

from gplandmark.mesh.closest_point import vector_lengths
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import perpendicular_vectors

LONG = 4.0  # times the median: triangles with a longer side are tested for every ray
ROUNDING = 1.001  # of single precision
EDGE = -1e-9  # a ray through an edge meets both triangles despite rounding


@dataclass(frozen=True, eq=False)
class Hit:
    """A point where a ray meets a surface."""

    triangle: int  # a row of `Surface.triangles`
    barycentric: FloatArray  # (3,) coordinates in the triangle, none negative, with sum 1
    point: FloatArray  # (3,) in the coordinates of the surface
    distance: float  # from the origin of the ray, in lengths of its direction


class Target:
    """A surface prepared for rays, one at a time.

    A ray can meet a triangle only if it passes a corner within the longest side. So the vertices
    near the ray come first, then their triangles, then the exact test of those few. The few
    triangles that are much larger than the others are always tested.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._middle = surface.points.mean(axis=0)
        # One row per coordinate and corner, which is fast to read. Single precision suffices to
        # find what is near.
        self._columns = np.ascontiguousarray((surface.points - self._middle).T, dtype=np.float32)
        self._corners = np.ascontiguousarray(surface.faces().T)
        sides = self._longest_sides()
        limit = LONG * float(np.median(sides))
        self._long = np.flatnonzero(sides > limit)
        self._reach = ROUNDING * min(limit, float(sides.max()))

    def _longest_sides(self) -> FloatArray:
        """Square root of the largest squared side of every triangle, shape (m,)."""
        longest = np.zeros(self._corners.shape[1], dtype=np.float32)
        for first, second in ((0, 1), (1, 2), (2, 0)):
            one, two = self._corners[first], self._corners[second]
            squares = sum((axis[one] - axis[two]) ** 2 for axis in self._columns)
            np.maximum(longest, squares, out=longest)
        return np.sqrt(longest)

    def hit(self, origin: FloatArray, direction: FloatArray) -> Hit | None:
        """The first point of the surface on a ray, from either side; None if it misses.

        With corners a, b, c the point is o + t d = a + u (b - a) + v (c - a), and Cramer's rule
        gives t >= 0 and u, v >= 0 with u + v <= 1.
        """
        start = np.asarray(origin, dtype=np.float64) - self._middle
        along = np.asarray(direction, dtype=np.float64)
        triangles = self._near(start, along)
        corners = self._surface.points[self._corners[:, triangles].T] - self._middle
        one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        across = np.cross(along, two)
        volume = np.einsum("ij,ij->i", one, across)
        scale = np.divide(1.0, volume, out=np.full(len(volume), np.nan), where=volume != 0)
        offset = start - corners[:, 0]
        second = np.einsum("ij,ij->i", offset, across) * scale
        turned = np.cross(offset, one)
        third = turned @ along * scale
        distance = np.einsum("ij,ij->i", turned, two) * scale
        met = (second >= EDGE) & (third >= EDGE) & (second + third <= 1 - EDGE) & (distance >= 0)
        if not met.any():
            return None
        best = int(np.where(met, distance, np.inf).argmin())
        weights = np.clip([1 - second[best] - third[best], second[best], third[best]], 0, 1)
        weights /= weights.sum()
        triangle = int(triangles[best])
        point = weights @ self._surface.points[self._surface.faces()[triangle]]
        return Hit(triangle, weights, point, float(distance[best]))

    def _near(self, start: FloatArray, along: FloatArray) -> IndexArray:
        """Triangles that the ray could meet."""
        across = perpendicular_vectors(along).astype(np.float32)
        squares = sum((row @ self._columns - np.float32(row @ start)) ** 2 for row in across)
        beside = squares <= self._reach**2
        one, two, three = self._corners
        near = np.flatnonzero(beside[one] | beside[two] | beside[three])
        return np.union1d(near, self._long)


def nearest_to_ray(
    points: FloatArray, origin: FloatArray, direction: FloatArray, reach: float
) -> int | None:
    """Number of the first of points (n, 3) that a ray passes within `reach`; None if it misses.

    Each point counts as a ball of that radius; of the balls that are hit, the one whose centre
    comes first.
    """
    depth, apart = along_and_beside(points - origin, direction / np.linalg.norm(direction))
    met = (apart <= reach) & (depth >= 0)
    return int(np.where(met, depth, np.inf).argmin()) if met.any() else None


def along_and_beside(offsets: FloatArray, direction: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far points are along a ray of unit direction, and how far beside it, both (k,).

    `offsets` (k, 3) lead from the origin of the ray to the points.
    """
    along = offsets @ direction
    return along, vector_lengths(offsets - along[:, None] * direction)
