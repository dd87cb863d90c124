# SPDX-License-Identifier: MIT
"""Which vertices are picked together: one and its mirror image, or one on the midline."""

import numpy as np
import scipy

from gplandmark.landmarks.symmetry.plane import Plane
from gplandmark.mesh import mean_edge_length, surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

MIDLINE = 0.02  # of sqrt(area)


class Counterparts:
    """Counterparts of the vertices that may be picked.

    A vertex nearer to the plane than `reach`, 0.02 sqrt(area) or the mean edge where that is
    longer, belongs on the midline; its counterpart is the vertex nearest to its foot on the plane.
    Of any other it is the vertex nearest to its mirror image. Vertices that have none within
    `reach`, as where the other side is broken off or excluded, are not paired.

    Attributes
    ----------
    heights : (n,) distance of every vertex from the plane, positive on the left
    paired : (n,) which vertices may be picked and have a counterpart that may
    """

    def __init__(self, surface: Surface, plane: Plane, allowed: BoolArray) -> None:
        self.points, self.plane = surface.points, plane
        self.heights = plane.heights(surface.points)
        scale = float(np.sqrt(surface_area(surface)))
        self.reach = max(MIDLINE * scale, mean_edge_length(surface))
        self.free = allowed.copy()
        vertices = np.flatnonzero(allowed)
        self.paired = np.zeros(surface.vertex_count, dtype=bool)
        if len(vertices):
            gaps, _ = scipy.spatial.cKDTree(surface.points[vertices]).query(
                self.targets(vertices), workers=-1
            )
            self.paired[vertices] = gaps <= self.reach

    def is_middle(self, vertices: IndexArray) -> BoolArray:
        """Which vertices belong on the midline."""
        return np.asarray(np.abs(self.heights[vertices]) <= self.reach)

    def targets(self, vertices: IndexArray) -> FloatArray:
        """Where counterparts should be, shape (k, 3): feet on the plane, or mirror images."""
        heights = self.heights[vertices]
        steps = np.where(self.is_middle(vertices), heights, 2 * heights)
        return np.asarray(self.points[vertices] - steps[:, None] * self.plane.normal)

    def take(self, vertex: int) -> tuple[int, ...]:
        """Take a vertex: the left and the right one of its pair, or one on the midline.

        Empty where no counterpart is left, all having been taken.
        """
        one = np.array([vertex])
        middle = bool(self.is_middle(one)[0])
        options = self.free if middle else self.free & (self.heights * self.heights[vertex] < 0)
        numbers = np.flatnonzero(options)
        if len(numbers) == 0:
            return ()
        gaps = np.linalg.norm(self.points[numbers] - self.targets(one), axis=1)
        other = int(numbers[np.argmin(gaps)])
        pair = (vertex, other) if self.heights[vertex] > 0 else (other, vertex)
        group = (other,) if middle else pair
        self.free[list(group)] = False
        return group
