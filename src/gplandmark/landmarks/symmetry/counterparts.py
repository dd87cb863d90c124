# SPDX-License-Identifier: MIT
"""Which vertices are picked together: one and its mirror image, or one on the midline."""

import numpy as np
import scipy

from gplandmark.landmarks.symmetry.plane import Plane
from gplandmark.mesh import mean_edge_length, surface_area
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

MIDLINE = 0.02  # of sqrt(area)


class Counterparts:
    """Counterparts of the vertices that may be picked.

    A vertex within `reach` of the plane, 0.02 sqrt(area) or the mean edge where that is longer,
    belongs on the midline if the surface has one there: its counterpart is the vertex nearest to
    its foot on the plane, of those no farther from the plane than the mean edge, and it lies
    within `reach` of the foot. Of any other vertex, also beside a gap in the middle, it is the
    vertex nearest to its mirror image, of those on the other side that face the same way, if one
    is within `reach`: a thin bone has two walls. Vertices that have none within `reach`, as where
    the other side is broken off or excluded, are not paired.

    Attributes
    ----------
    heights : (n,) distance of every vertex from the plane, positive on the left
    paired : (n,) which vertices may be picked and have a counterpart that may
    central : (n,) which vertices belong on the midline
    """

    def __init__(self, surface: Surface, plane: Plane, allowed: BoolArray) -> None:
        self.points, self.plane = surface.points, plane
        self.heights = plane.heights(surface.points)
        self.normals = vertex_normals(surface.points, surface.faces())
        edge = mean_edge_length(surface)
        self.reach = max(MIDLINE * float(np.sqrt(surface_area(surface))), edge)
        self.free = allowed.copy()
        self.middle = np.abs(self.heights) <= edge
        near = np.flatnonzero(allowed & (np.abs(self.heights) <= self.reach))
        self.central = np.zeros(surface.vertex_count, dtype=bool)
        self.central[near] = self._gaps(self._feet(near), allowed & self.middle) <= self.reach
        vertices = np.flatnonzero(allowed)
        self.paired = np.zeros(surface.vertex_count, dtype=bool)
        images = plane.mirrored(surface.points[vertices])
        self.paired[vertices] = self._gaps(images, allowed) <= self.reach
        self.paired |= self.central

    def _gaps(self, places: FloatArray, options: BoolArray) -> FloatArray:
        """Distances of places (k, 3) from the nearest of some vertices, (k,); inf without any."""
        if not options.any():
            return np.full(len(places), np.inf)
        return np.asarray(scipy.spatial.cKDTree(self.points[options]).query(places, workers=-1)[0])

    def _feet(self, vertices: IndexArray) -> FloatArray:
        """Feet of vertices on the plane, shape (k, 3)."""
        return np.asarray(self.points[vertices] - self.heights[vertices, None] * self.plane.normal)

    def take(self, vertex: int) -> tuple[int, ...]:
        """Take a vertex: the left and the right one of its pair, or one on the midline.

        Empty where no counterpart is left, all having been taken.
        """
        group: tuple[int, ...] = ()
        if self.central[vertex]:
            foot = self._feet(np.array([vertex]))
            group = self._nearest(foot, self.free & self.middle)
        if not group and (other := self._opposite(vertex)):
            group = (vertex, *other) if self.heights[vertex] > 0 else (*other, vertex)
        self.free[list(group)] = False
        return group

    def _opposite(self, vertex: int) -> tuple[int, ...]:
        """The vertex nearest to the mirror image of one; those that face the same way come first.

        Empty where none is left.
        """
        image = self.plane.mirrored(self.points[[vertex]])
        normal = self.normals[vertex]
        faced = normal - 2 * (normal @ self.plane.normal) * self.plane.normal
        across = self.free & (self.heights * self.heights[vertex] < 0)
        found = self._nearest(image, across & (self.normals @ faced > 0))
        if found and np.linalg.norm(self.points[found[0]] - image) <= self.reach:
            return found
        return self._nearest(image, across)

    def _nearest(self, place: FloatArray, options: BoolArray) -> tuple[int, ...]:
        """The vertex nearest to a place (1, 3), of some; empty if there are none."""
        numbers = np.flatnonzero(options)
        gaps = np.linalg.norm(self.points[numbers] - place, axis=1)
        return (int(numbers[np.argmin(gaps)]),) if len(numbers) else ()
