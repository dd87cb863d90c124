# SPDX-License-Identifier: MIT
"""In which pose specimens are shown: those of a matched sample all as their reference."""

from dataclasses import replace

import numpy as np

from gplandmark.landmarks import Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.viewer.framing import ScenePose, pose_along, scene_pose

FEWEST = 3  # landmarks in common that determine a rotation


def common_pose(
    surface: Surface, landmarks: Landmarks | None, axes: FloatArray, others: Landmarks
) -> ScenePose:
    """Show a specimen as another one whose `axes` are known, by landmarks of the same names.

    With fewer than three in common it is shown in its own pose.
    """
    if landmarks is None:
        return scene_pose(surface)
    known = {
        label: point
        for label, point in zip(others.labels, others.points, strict=True)
        if np.isfinite(point).all()
    }
    pairs = [
        (point, known[label])
        for label, point in zip(landmarks.labels, landmarks.points, strict=True)
        if label in known and np.isfinite(point).all()
    ]
    if len(pairs) < FEWEST:
        return scene_pose(surface)
    ours, theirs = np.array(pairs).transpose(1, 0, 2)
    along = axes @ turned_onto(ours, theirs)
    is_mirrored = bool(np.linalg.det(along) < 0)
    if is_mirrored:  # a left and a right one: seen from the same side, as they are
        along[0] *= -1
    return replace(pose_along(surface, along), is_mirrored=is_mirrored)


def turned_onto(points: FloatArray, others: FloatArray) -> FloatArray:
    """Rotation or reflection (3, 3) that takes points (m, 3) onto others best, about centres."""
    ours, theirs = points - points.mean(axis=0), others - others.mean(axis=0)
    left, _, right = np.linalg.svd(theirs.T @ ours)
    return np.asarray(left @ right)
