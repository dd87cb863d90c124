# SPDX-License-Identifier: MIT
"""Where a specimen stands in the scene: turned to its best view, at a size that the camera knows.

Results never see the scene's coordinates: a click comes back into those of the file as a ray, and
meets the surface there.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry import principal_frame
from gplandmark.pictures import default_camera
from gplandmark.surface import Surface

__all__ = ["Pose", "pose_of", "side_by_side"]

GAP = 0.25  # between two specimens, of half the size of one


@dataclass(frozen=True, eq=False)
class Pose:
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


def pose_of(surface: Surface) -> Pose:
    """Stand a specimen as it shows most; the view of our still pictures."""
    axes = (
        principal_frame(surface)[1] if surface.triangles is None else default_camera(surface).axes
    )
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([[1], [1], [-1]])
    seen = surface.points[surface.covered()] @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    size = float((high - low).max()) / 2
    return Pose((low + high) / 2 @ axes, axes, size, (high - low) / 2 / size)


def side_by_side(poses: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """Move specimens beside each other, from left to right, around the middle of the scene."""
    widths = [2 * float(pose.half[0]) for pose in poses]
    left = -(sum(widths) + GAP * (len(poses) - 1)) / 2
    placed = []
    for pose, width in zip(poses, widths, strict=True):
        placed.append(replace(pose, shift=np.array([left + width / 2, 0.0, 0.0])))
        left += width + GAP
    return tuple(placed)
