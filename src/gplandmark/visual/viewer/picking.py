# SPDX-License-Identifier: MIT
"""What a click meets: a place on the whole surface, whatever mesh is drawn."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gplandmark.mesh.rays import Target, nearest_to_ray
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.viewer.colourings import Exhibit
from gplandmark.visual.viewer.framing import Pose
from gplandmark.visual.viewer.scene import POINT_SIZE

__all__ = ["Pick", "Picker"]


@dataclass(frozen=True, eq=False)
class Pick:
    """Where a click met a specimen.

    Attributes
    ----------
    exhibit : which one
    vertex : the nearest corner of the triangle met, or the point of a cloud; a row of the surface
    point : (3,) in the coordinates of the file
    distance : from the camera, in the scene
    triangle : the triangle met; None in a cloud
    shares : (3,) of its corners
    """

    exhibit: Exhibit
    vertex: int
    point: FloatArray
    distance: float
    triangle: int | None = None
    shares: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Picker:
    """Finds what rays of the scene meet on one exhibit."""

    exhibit: Exhibit
    pose: Pose

    @cached_property
    def _target(self) -> Target:
        return Target(self.exhibit.surface)  # at the first click: a large surface takes a moment

    def pick(self, origin: FloatArray, direction: FloatArray) -> Pick | None:
        """Where a ray of the scene meets the surface first; None if it misses."""
        start = self.pose.in_file(origin[None])[0]
        along = self.pose.direction_in_file(direction)
        if self.exhibit.surface.triangles is None:
            return self._point(start, along, origin)
        hit = self._target.hit(start, along)
        if hit is None:
            return None
        corner = self.exhibit.surface.faces()[hit.triangle, int(hit.shares.argmax())]
        distance = self._distance(hit.point, origin)
        return Pick(self.exhibit, int(corner), hit.point, distance, hit.triangle, hit.shares)

    def _point(self, start: FloatArray, along: FloatArray, origin: FloatArray) -> Pick | None:
        points = self.exhibit.surface.points
        number = nearest_to_ray(points, start, along, POINT_SIZE * self.pose.size)
        if number is None:
            return None
        point = points[number]
        return Pick(self.exhibit, number, point, self._distance(point, origin))

    def _distance(self, point: FloatArray, origin: FloatArray) -> float:
        return float(np.linalg.norm(self.pose.in_scene(point[None])[0] - origin))
