# SPDX-License-Identifier: MIT
"""Starting landmarks: those that a person has placed already, and that come first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import abbreviated
from gplandmark.io.landmark_files import has_sections, read_landmarks, stated_specimen
from gplandmark.io.landmark_formats.formats import FORMATS, format_of
from gplandmark.io.scans import is_mesh
from gplandmark.io.scans.names import NAMELESS
from gplandmark.io.vertex_lists import read_indices
from gplandmark.landmarks import Landmarks, in_system_of, nearest_vertices
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.landmarks.on_surface import FARTHEST
from gplandmark.mesh import surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import IndexArray


@dataclass(frozen=True, eq=False)
class Start:
    """Vertices that come first, with their names, types and notes for the user."""

    vertices: IndexArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def label(self, landmarks: Landmarks) -> Landmarks:
        """Return the landmarks with names and types of the first ones, and notes in their record.

        Those that follow are numbered by their position. Numbers that are names of first ones are
        skipped. Placing more landmarks does not change any name.
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


def _by_vertex(vertices: IndexArray, texts: Sequence[str]) -> dict[int, str]:
    """Texts of the vertices that have one; of two on one vertex the first counts."""
    pairs = list(zip(vertices.tolist(), texts, strict=False))
    return dict(reversed(pairs))


def read_start(path: Path, surface: Surface) -> Start:
    """Read starting landmarks from a landmark file, or vertex numbers from a text file.

    Raises
    ------
    LandmarkFileError
        It is a mesh, or the landmarks lie so far off the surface that they must belong to another.
    """
    if is_mesh(path):
        raise LandmarkFileError.of(
            path, "is a mesh, not a landmark file or a list of vertex indices. Check the name."
        )
    if not _is_landmark_file(path):
        return Start(read_indices(path))
    landmarks, notes = in_mesh_system(surface, read_landmarks(path), path.name)
    nearest, distances = nearest_vertices(surface, landmarks.points)
    known = landmarks.vertices
    exact = (known != UNKNOWN_VERTEX) & (known < surface.file_vertex_count)
    vertices = surface.vertices_of(np.where(exact, known, 0))
    exact &= (vertices >= 0) & (surface.points[vertices] == landmarks.points).all(axis=1)
    farthest = float(np.max(np.where(exact, 0.0, distances), initial=0.0))
    if farthest > FARTHEST * np.sqrt(surface_area(surface)):
        raise LandmarkFileError(
            f"a landmark lies {farthest:,.4g} (file units) off {surface.name}. "
            "It belongs to another specimen, unit, pose or coordinate system; "
            "'gplandmark check' may show which.",
            path,
        )
    if farthest > 0:
        notes += (
            f"The starting landmarks of {path.name} were moved to their nearest vertices, "
            f"by at most {farthest:,.4g} (file units).",
        )
    numbers = np.where(exact, known, nearest)
    notes += _shared(numbers, landmarks.labels, path.name)
    return Start(numbers, landmarks.labels, notes, landmarks.kinds)


def note_of_another(path: Path, name: str, role: str = "scan") -> tuple[str, ...]:
    """What is said if a landmark file states that it is of another specimen than `name`.

    Names are compared by their last part. A file that states none may belong to any.
    """
    stated = stated_specimen(path) if _is_landmark_file(path) else ""
    if not stated or name == NAMELESS or stated.rpartition("/")[2] == name.rpartition("/")[2]:
        return ()
    return (f"{path.name} has landmarks of {stated}, but the {role} is {name}.",)


def _shared(vertices: IndexArray, labels: Sequence[str], name: str) -> tuple[str, ...]:
    """Name the starting landmarks that are merged with an earlier one, on the same vertex."""
    names = _by_vertex(vertices, labels)
    firsts = set(np.unique(vertices, return_index=True)[1].tolist())
    lost = [
        f"'{label}' is merged with '{names[vertex]}'"
        for place, (vertex, label) in enumerate(zip(vertices.tolist(), labels, strict=True))
        if place not in firsts
    ]
    return (f"Landmarks of {name} share a vertex: {abbreviated(lost)}.",) if lost else ()


def _is_landmark_file(path: Path) -> bool:
    """Distinguish landmark files from lists of vertex numbers; .txt may be either."""
    name = path.name.lower()
    if name.endswith(".txt") and path.is_file():
        return has_sections(path)
    return name.endswith(tuple(FORMATS))


def read_sets(
    surface: Surface, paths: Sequence[Path], reserved: Collection[str] = ()
) -> dict[str, Landmarks]:
    """Read landmark files in the coordinates of a scan, and warn of what was changed for it.

    Each is called by its name, or by its path where names repeat or are reserved.
    """
    sets = {path: _read(surface, path) for path in paths}
    short = {path: path.name[: -len(format_of(path)[0])] for path in sets}
    repeated = len(set(short.values())) < len(sets) or set(short.values()) & set(reserved)
    return {str(path) if repeated else short[path]: each for path, each in sets.items()}


def _read(surface: Surface, path: Path) -> Landmarks:
    landmarks, notes = in_mesh_system(surface, read_landmarks(path), path.name)
    for note in notes:
        warn(note, stacklevel=1)
    return landmarks


def in_mesh_system(
    surface: Surface, landmarks: Landmarks, name: str
) -> tuple[Landmarks, tuple[str, ...]]:
    """Landmarks that are not missing, in the system of the mesh, and notes on what was changed."""
    notes = landmarks.record.warnings if not landmarks.record.software else ()
    given, landmarks = landmarks.system, in_system_of(surface, landmarks)
    if given not in (None, landmarks.system):
        scan = "is marked" if surface.system else "is taken to be in"
        notes += (
            f"{name} is in {given} and the scan {scan} {landmarks.system}: the signs of x and y "
            "were changed.",
        )
    if landmarks.missing.any():
        there = np.flatnonzero(~landmarks.missing)
        notes += (f"{len(landmarks) - len(there)} missing landmarks of {name} were left out.",)
        landmarks = landmarks.chosen(there.tolist())
    return landmarks, notes
