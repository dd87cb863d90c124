# SPDX-License-Identifier: MIT
"""The pose of a specimen in the scene."""

from dataclasses import dataclass

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
    is_mirrored : whether it is a left one shown as a right one is, or the reverse
    """

    centre: FloatArray
    axes: FloatArray
    size: float
    half: FloatArray
    is_mirrored: bool = False

    def in_scene(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the file as they lie in the scene."""
        return (points - self.centre) @ self.axes.T / self.size

    def in_file(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the scene as they lie in the file."""
        return points @ self.axes * self.size + self.centre

    def direction_in_file(self, direction: FloatArray) -> FloatArray:
        """A direction (3,) of the scene as it is in the file."""
        return direction @ self.axes


LONG = 1.5  # times as long as wide: it lies level, whatever the axes of its file
ALONG_VIEW = 0.8  # cosine: an axis of the file that is this close to the view is not upwards


def scene_pose(surface: Surface) -> ScenePose:
    """Orient a specimen as in our pictures, so that most of it is visible; and upright.

    An elongated one lies level. Any other is turned by quarters until z of its file, or y if z
    points to the viewer, is upwards: scans of heads and faces are usually upright.
    """
    is_cloud = surface.triangles is None
    axes = principal_frame(surface)[1] if is_cloud else default_camera(surface).axes
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([[1], [1], [-1]])
    pose = pose_along(surface, axes)
    if max(pose.half[:2]) > LONG * min(pose.half[:2]):
        return pose
    right, up, towards = axes
    upwards = np.eye(3)[1 if abs(towards[2]) > ALONG_VIEW else 2]
    turns = ((right, up), (-up, right), (-right, -up), (up, -right))
    best = max(turns, key=lambda each: float(each[1] @ upwards))
    return pose_along(surface, np.array([*best, towards]))


def pose_along(surface: Surface, axes: FloatArray) -> ScenePose:
    """Show a specimen along axes (3, 3): rows to the right, upwards and to the viewer."""
    seen = surface.points[surface.covered()] @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) / 2
    return ScenePose((low + high) / 2 @ axes, axes, size, (high - low) / 2 / size)
