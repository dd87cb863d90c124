# SPDX-License-Identifier: MIT
"""Landmarks that a person has placed already, and that come first."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from gplandmark.arrays import IndexArray
from gplandmark.comparison.surface_vertices import FARTHEST
from gplandmark.errors import LandmarkFileError
from gplandmark.files.content import content_of
from gplandmark.files.formats import FORMATS, read_landmarks
from gplandmark.files.morphologika import looks_like
from gplandmark.files.numbers import read_indices
from gplandmark.files.on_mesh import on_the_mesh
from gplandmark.geometry import surface_area
from gplandmark.landmarks import Landmarks, nearest_vertices
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.surface import Surface

__all__ = ["Start", "read_start"]


@dataclass(frozen=True, eq=False)
class Start:
    """Vertices that come first, the names they have, and what the user should know of them."""

    vertices: IndexArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def remembered_by(self, landmarks: Landmarks) -> Landmarks:
        """Return the landmarks with the names of the first ones, and the notes in their record."""
        names = dict(zip(self.vertices.tolist(), self.labels, strict=False))
        labels = tuple(
            names.get(vertex, label)
            for vertex, label in zip(landmarks.vertices.tolist(), landmarks.labels, strict=True)
        )
        record = replace(landmarks.record, warnings=(*self.notes, *landmarks.record.warnings))
        return replace(landmarks, labels=labels, record=record)


def read_start(path: Path, surface: Surface) -> Start:
    """Read starting landmarks from a landmark file, or vertex numbers from a text file.

    Raises
    ------
    LandmarkFileError
        The landmarks lie so far off the surface that they must belong to another one.
    """
    if not _is_landmark_file(path):
        return Start(read_indices(path))
    landmarks, notes = on_the_mesh(surface, read_landmarks(path), path.name)
    nearest, distances = nearest_vertices(surface, landmarks.points)
    known = landmarks.vertices
    exact = (known != UNKNOWN_VERTEX) & (known < surface.file_vertex_count)
    vertices = surface.vertices_of(np.where(exact, known, 0))
    exact &= (vertices >= 0) & (surface.points[vertices] == landmarks.points).all(axis=1)
    farthest = float(np.max(np.where(exact, 0.0, distances), initial=0.0))
    if farthest > FARTHEST * np.sqrt(surface_area(surface)):
        raise LandmarkFileError(
            f"{path}: a landmark lies {farthest:,.4g} (file units) off {surface.name}. "
            "It belongs to another specimen, unit, pose or coordinate system; "
            "'gplandmark check' may tell which."
        )
    if farthest > 0:
        notes += (
            f"The starting landmarks of {path.name} were moved to their nearest vertices, "
            f"by at most {farthest:,.4g} (file units).",
        )
    return Start(np.where(exact, known, nearest), landmarks.labels, notes)


def _is_landmark_file(path: Path) -> bool:
    """Tell landmark files from lists of vertex numbers; .txt may be either."""
    name = path.name.lower()
    if name.endswith(".txt") and path.is_file():
        return looks_like(content_of(path))
    return name.endswith(tuple(FORMATS))
