# SPDX-License-Identifier: MIT
"""From the mouse to landmarks: which one is under it, and which are in a box."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.numerics.arrays import BoolArray, FloatArray

__all__ = ["Eye", "Ray", "ray_to", "under"]


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
    offsets = points - ray.origin
    along = offsets @ ray.direction
    beside = np.linalg.norm(offsets - along[:, None] * ray.direction, axis=1)
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
        """The camera as viser tells it."""
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
        return 0.5 + 0.5 * np.column_stack(
            [right / ahead / self.spread[0], down / ahead / self.spread[1]]
        )

    def in_box(self, points: FloatArray, low: npt.ArrayLike, high: npt.ArrayLike) -> BoolArray:
        """Which of the points (k, 3) lie in a box of the screen, hidden or not."""
        places = self.on_screen(points)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                ((places >= np.asarray(low)) & (places <= np.asarray(high))).all(axis=1)
            )


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
