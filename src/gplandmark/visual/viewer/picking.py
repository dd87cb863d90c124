# SPDX-License-Identifier: MIT
"""What the mouse meets: a point of the surface, a landmark, or the landmarks in a box."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.mesh.rays import Target, along_and_beside, nearest_to_ray
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.viewer.displayed_specimen import DisplayedSpecimen
from gplandmark.visual.viewer.framing import ScenePose
from gplandmark.visual.viewer.scene import POINT_SIZE


@dataclass(frozen=True, eq=False)
class Ray:
    """A line of sight in the scene: where it starts (3,), and its direction (3,) of length 1."""

    origin: FloatArray
    direction: FloatArray


def ray_to(origin: npt.ArrayLike, point: npt.ArrayLike) -> Ray:
    """The ray from one point of the scene to another."""
    start = np.asarray(origin, dtype=np.float64)
    way = np.asarray(point, dtype=np.float64) - start
    return Ray(start, way / max(float(np.linalg.norm(way)), np.finfo(float).tiny))


def under(ray: Ray, points: FloatArray, radius: float, depth: float) -> int | None:
    """Which of some points (k, 3) a ray meets first, as balls; None if there is none.

    What lies farther along the ray than `depth` is hidden.
    """
    along, beside = along_and_beside(points - ray.origin, ray.direction)
    met = np.flatnonzero((beside <= radius) & (along > 0) & (along <= depth + radius))
    return int(met[along[met].argmin()]) if len(met) else None


@dataclass(frozen=True, eq=False)
class Eye:
    """A browser's camera.

    Attributes
    ----------
    position : (3,) in the scene
    axes : (3, 3) rows to the right, downwards and forwards
    spread : half the width and half the height of what is seen, at distance 1
    """

    position: FloatArray
    axes: FloatArray
    spread: tuple[float, float]

    @classmethod
    def of(cls, camera: Any) -> "Eye":
        """The camera as viser describes it."""
        high = float(np.tan(camera.fov / 2))
        return cls(
            np.array(camera.position, dtype=np.float64),
            _turned(np.array(camera.wxyz, dtype=np.float64)).T,
            (high * float(camera.aspect), high),
        )

    def on_screen(self, points: FloatArray) -> FloatArray:
        """Places (k, 2) of points on the screen, from (0, 0) upper left to (1, 1) lower right.

        Points behind the eye are nowhere (NaN).
        """
        right, down, ahead = self.axes @ (points - self.position).T
        ahead = np.where(ahead > 0, ahead, np.nan)
        return 0.5 + 0.5 * np.column_stack([right, down]) / ahead[:, None] / self.spread

    def in_box(self, points: FloatArray, low: npt.ArrayLike, high: npt.ArrayLike) -> BoolArray:
        """Which of the points (k, 3) lie in a box of the screen, hidden or not."""
        places = self.on_screen(points)
        with np.errstate(invalid="ignore"):
            inside = (places >= np.asarray(low)) & (places <= np.asarray(high))
        return np.asarray(inside.all(axis=1))


def _turned(quaternion: FloatArray) -> FloatArray:
    """The rotation (3, 3) of a quaternion w, x, y, z."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass(frozen=True, eq=False)
class Pick:
    """Where a click met a specimen.

    Attributes
    ----------
    specimen : which one
    vertex : the nearest corner of the triangle met, or the point of a cloud; a row of the surface
    point : (3,) in the coordinates of the file
    distance : from the camera, in the scene
    """

    specimen: DisplayedSpecimen
    vertex: int
    point: FloatArray
    distance: float


@dataclass(frozen=True, eq=False)
class Picker:
    """Finds what rays of the scene meet on one specimen."""

    specimen: DisplayedSpecimen
    pose: ScenePose

    @cached_property
    def _target(self) -> Target:
        return Target(self.specimen.surface)  # at the first click: a large surface takes a moment

    def pick(self, origin: FloatArray, direction: FloatArray) -> Pick | None:
        """Where a ray of the scene meets the surface first; None if it misses."""
        start = self.pose.in_file(origin[None])[0]
        along = self.pose.direction_in_file(direction)
        if self.specimen.surface.triangles is None:
            points = self.specimen.surface.points
            number = nearest_to_ray(points, start, along, POINT_SIZE * self.pose.size)
            return None if number is None else self._pick(number, points[number], origin)
        hit = self._target.hit(start, along)
        if hit is None:
            return None
        corner = self.specimen.surface.faces()[hit.triangle, int(hit.barycentric.argmax())]
        return self._pick(int(corner), hit.point, origin)

    def _pick(self, vertex: int, point: FloatArray, origin: FloatArray) -> Pick:
        distance = float(np.linalg.norm(self.pose.in_scene(point[None])[0] - origin))
        return Pick(self.specimen, vertex, point, distance)
