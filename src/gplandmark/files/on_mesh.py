# SPDX-License-Identifier: MIT
"""Landmarks of a file as they lie on a mesh: those that are there, in its coordinate system."""

from dataclasses import replace

import numpy as np

from gplandmark.landmarks import Landmarks, to_system

__all__ = ["on_the_mesh"]


def on_the_mesh(landmarks: Landmarks, name: str) -> tuple[Landmarks, tuple[str, ...]]:
    """Landmarks that are there, in the system of the mesh, and what had to be done for it."""
    notes = landmarks.record.warnings if not landmarks.record.software else ()
    if landmarks.system == "RAS":
        landmarks = to_system(landmarks, "LPS")
        notes += (
            f"{name} is in RAS and the scan is taken to be in LPS: the signs of x and y were "
            "turned.",
        )
    if landmarks.missing.any():
        there = np.flatnonzero(~landmarks.missing)
        notes += (f"{len(landmarks) - len(there)} missing landmarks of {name} were left out.",)
        landmarks = replace(
            landmarks,
            points=landmarks.points[there],
            vertices=landmarks.vertices[there],
            variances=landmarks.variances[there],
            labels=tuple(landmarks.labels[i] for i in there),
            classes=tuple(landmarks.classes[i] for i in there if landmarks.classes),
            kinds=tuple(landmarks.kinds[i] for i in there if landmarks.kinds),
        )
    return landmarks, notes
