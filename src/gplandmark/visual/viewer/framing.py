# SPDX-License-Identifier: MIT
"""The pose of a specimen in the scene, and a camera that shows all of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.mesh import principal_frame
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import default_camera


@dataclass(frozen=True, eq=False)
class ScenePose:
    """From the coordinates of a file to those of the scene, and back.

    Attributes
    ----------
    centre : (3,) of the specimen, in the file
    axes : (3, 3) rows to the right, upwards and to the viewer, at right angles
    size : half of its largest extent, which is 1 in the scene
    half : (3,) half of its extent along the axes, in the scene
    """

    centre: FloatArray
    axes: FloatArray
    size: float
    half: FloatArray

    def in_scene(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the file as they lie in the scene."""
        return (points - self.centre) @ self.axes.T / self.size

    def in_file(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the scene as they lie in the file."""
        return points @ self.axes * self.size + self.centre

    def direction_in_file(self, direction: FloatArray) -> FloatArray:
        """A direction (3,) of the scene as it is in the file."""
        return direction @ self.axes


def scene_pose(surface: Surface) -> ScenePose:
    """Orient a specimen as in our pictures: so that most of it is visible."""
    is_cloud = surface.triangles is None
    axes = principal_frame(surface)[1] if is_cloud else default_camera(surface).axes
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([[1], [1], [-1]])
    return pose_along(surface, axes)


def pose_along(surface: Surface, axes: FloatArray) -> ScenePose:
    """Show a specimen along axes (3, 3): rows to the right, upwards and to the viewer."""
    seen = surface.points[surface.covered()] @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) / 2
    return ScenePose((low + high) / 2 @ axes, axes, size, (high - low) / 2 / size)


FIELD_OF_VIEW = np.radians(30)
MARGIN = 0.9  # of the window that the specimen fills
WIDE = 1.1  # width over height of what a typical window leaves beside the panel


def set_camera(camera: Any, pose: ScenePose) -> None:
    """Look at a specimen from the front so that it fills a typical window."""
    spread = float(max(pose.half[1], pose.half[0] / WIDE)) / MARGIN
    distance = float(pose.half[2] + spread / np.tan(FIELD_OF_VIEW / 2))
    camera.fov = FIELD_OF_VIEW
    camera.position = (0.0, 0.0, distance)
    camera.look_at = (0.0, 0.0, 0.0)
    camera.up = (0.0, 1.0, 0.0)
    camera.near, camera.far = 0.01, 100.0
