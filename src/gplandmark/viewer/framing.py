# SPDX-License-Identifier: MIT
"""Where the camera stands so that all specimens are seen, in any window."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gplandmark.viewer.pose import Pose

__all__ = ["TITLE_HEIGHT", "Framing", "set_camera"]

FIELD_OF_VIEW = np.radians(30)
MARGIN = 0.9  # of the window that the specimen fills
WIDE = 1.1  # width over height of what a usual window leaves beside the panel
TITLE_HEIGHT = 0.16  # above specimens side by side
SAME = 1e-3  # of the distance, within which a camera stands where it was put


def set_camera(camera: Any, poses: Sequence[Pose], aspect: float = WIDE) -> float:
    """Look at all specimens from the front, from where they fill a window of that aspect.

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
    every word of its camera is heard, not only the first.

    Parameters
    ----------
    poses : of the specimens
    distance : from the middle at which the camera starts
    """

    def __init__(self, poses: Sequence[Pose], distance: float) -> None:
        self._poses = poses
        self._put = [distance]  # a late word may still tell of an earlier one
        self._aspect = WIDE

    def follow(self, camera: Any) -> None:
        """Stand where a window of this camera's aspect shows everything."""
        if camera.aspect != self._aspect and self._stands_where_it_was_put(camera):
            self._aspect = camera.aspect
            with camera.client.atomic():
                self._put.append(set_camera(camera, self._poses, camera.aspect))

    def _stands_where_it_was_put(self, camera: Any) -> bool:
        return any(
            np.linalg.norm(camera.position - [0.0, 0.0, distance]) < SAME * distance
            for distance in self._put
        )
