# SPDX-License-Identifier: MIT
"""Landmarks that a person has placed already, and that come first."""

from collections.abc import Sequence
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
    kinds: tuple[str, ...] = ()

    def remembered_by(self, landmarks: Landmarks) -> Landmarks:
        """Return the landmarks with names and types of the first ones, and notes in their record.

        Those that follow are called by their place; where a first one has that number for its name
        already, they count on from the next that is free. More landmarks change no name.
        """
        names = _by_vertex(self.vertices, self.labels)
        kinds = _by_vertex(self.vertices, self.kinds)
        labels: list[str] = []
        number = 0
        for vertex in landmarks.vertices.tolist():
            number += 1
            while vertex not in names and str(number) in self.labels:
                number += 1
            labels.append(names.get(vertex, str(number)))
        return replace(
            landmarks,
            labels=tuple(labels),
            kinds=tuple(kinds.get(vertex, "") for vertex in landmarks.vertices.tolist()),
            record=replace(landmarks.record, warnings=(*self.notes, *landmarks.record.warnings)),
        )


def _by_vertex(vertices: IndexArray, words: Sequence[str]) -> dict[int, str]:
    """Words of the vertices that have one; of two on one vertex the first stands."""
    pairs = list(zip(vertices.tolist(), words, strict=False))
    return dict(reversed(pairs))


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
    numbers = np.where(exact, known, nearest)
    notes += _shared(numbers, landmarks.labels, path.name)
    return Start(numbers, landmarks.labels, notes, landmarks.kinds)


def _shared(vertices: IndexArray, labels: Sequence[str], name: str) -> tuple[str, ...]:
    """Say which starting landmarks have the vertex of an earlier one, and are one with it."""
    names = _by_vertex(vertices, labels)
    firsts = set(np.unique(vertices, return_index=True)[1].tolist())
    lost = [
        f"'{label}' is one with '{names[vertex]}'"
        for place, (vertex, label) in enumerate(zip(vertices.tolist(), labels, strict=True))
        if place not in firsts
    ]
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    return (f"Landmarks of {name} share a vertex: {', '.join(lost[:3])}{more}.",) if lost else ()


def _is_landmark_file(path: Path) -> bool:
    """Tell landmark files from lists of vertex numbers; .txt may be either."""
    name = path.name.lower()
    if name.endswith(".txt") and path.is_file():
        return looks_like(content_of(path))
    return name.endswith(tuple(FORMATS))
