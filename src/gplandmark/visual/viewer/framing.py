# SPDX-License-Identifier: MIT
"""Specimens side by side in the scene, and a camera that shows all of them in any window."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gplandmark.mesh import principal_frame
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import default_camera

GAP = 0.25  # between two specimens, of half the size of one


@dataclass(frozen=True, eq=False)
class ScenePose:
    """From the coordinates of a file to those of the scene, and back.

    Attributes
    ----------
    centre : (3,) of the specimen, in the file
    axes : (3, 3) rows to the right, upwards and to the viewer, at right angles
    size : half of its largest extent, which is 1 in the scene
    half : (3,) half of its extent along the axes, in the scene
    shift : (3,) where its centre is in the scene
    """

    centre: FloatArray
    axes: FloatArray
    size: float
    half: FloatArray
    shift: FloatArray = field(default_factory=lambda: np.zeros(3))

    def in_scene(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the file as they lie in the scene."""
        return (points - self.centre) @ self.axes.T / self.size + self.shift

    def in_file(self, points: FloatArray) -> FloatArray:
        """Points (k, 3) of the scene as they lie in the file."""
        return (points - self.shift) @ self.axes * self.size + self.centre

    def direction_in_file(self, direction: FloatArray) -> FloatArray:
        """A direction (3,) of the scene as it is in the file."""
        return direction @ self.axes


def scene_pose(surface: Surface) -> ScenePose:
    """Orient a specimen as in our pictures: so that most of it is visible."""
    is_cloud = surface.triangles is None
    axes = principal_frame(surface)[1] if is_cloud else default_camera(surface).axes
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([[1], [1], [-1]])
    seen = surface.points[surface.covered()] @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) / 2
    return ScenePose((low + high) / 2 @ axes, axes, size, (high - low) / 2 / size)


def arranged_in_row(poses: tuple[ScenePose, ...]) -> tuple[ScenePose, ...]:
    """Move specimens beside each other, from left to right, around the middle of the scene."""
    widths = [2 * float(pose.half[0]) for pose in poses]
    left = -(sum(widths) + GAP * (len(poses) - 1)) / 2
    placed = []
    for pose, width in zip(poses, widths, strict=True):
        placed.append(replace(pose, shift=np.array([left + width / 2, 0.0, 0.0])))
        left += width + GAP
    return tuple(placed)


FIELD_OF_VIEW = np.radians(30)
MARGIN = 0.9  # of the window that the specimen fills
WIDE = 1.1  # width over height of what a typical window leaves beside the panel
TITLE_HEIGHT = 0.16  # above specimens side by side
SAME = 1e-3  # of the distance, within which a camera has not been moved


def set_camera(camera: Any, poses: Sequence[ScenePose], aspect: float = WIDE) -> float:
    """Look at all specimens from the front so that they fill a window of that aspect ratio.

    Returns the distance of the camera from the middle.
    """
    left = min(float(pose.shift[0] - pose.half[0]) for pose in poses)
    right = max(float(pose.shift[0] + pose.half[0]) for pose in poses)
    high = max(float(pose.half[1]) for pose in poses) + (TITLE_HEIGHT if len(poses) > 1 else 0)
    front = max(float(pose.half[2]) for pose in poses)
    spread = max(high, (right - left) / 2 / aspect) / MARGIN
    distance = float(front + spread / np.tan(FIELD_OF_VIEW / 2))
    camera.fov = FIELD_OF_VIEW
    camera.position = (0.0, 0.0, distance)
    camera.look_at = (0.0, 0.0, 0.0)
    camera.up = (0.0, 1.0, 0.0)
    camera.near, camera.far = 0.01, 100.0
    return distance


class Framing:
    """Keeps all specimens in the window of one browser, until a person moves the camera.

    A browser connects before it has made room for the panel, and windows change their size. So
    every message of its camera is followed, not only the first. The camera starts at `distance`
    from the middle.
    """

    def __init__(self, poses: Sequence[ScenePose], distance: float) -> None:
        self._poses = poses
        self._put = [distance]  # a late message may still report an earlier one
        self._aspect = WIDE

    def follow(self, camera: Any) -> None:
        """Move the camera so that a window of its aspect ratio shows everything."""
        if camera.aspect != self._aspect and any(
            np.linalg.norm(camera.position - [0.0, 0.0, distance]) < SAME * distance
            for distance in self._put
        ):
            self._aspect = camera.aspect
            with camera.client.atomic():
                self._put.append(set_camera(camera, self._poses, camera.aspect))
