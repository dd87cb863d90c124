# SPDX-License-Identifier: MIT
"""Landmarks of a file, or placed, as the first state of an editor."""

from contextlib import suppress
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks import Landmarks, Record, in_system_of
from gplandmark.landmarks.on_surface import FARTHEST
from gplandmark.mesh import surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray
from gplandmark.visual.editor.history import Origin
from gplandmark.visual.editor.placement import Finder
from gplandmark.visual.editor.state import AUTHORS, AuthorName, Location, Mark, State, mask_to_bytes

DAMAGED = (TypeError, ValueError, AttributeError)  # what a malformed record raises


def origin_of(finder: Finder, landmarks: Landmarks | None) -> Origin:
    """The state that editing starts from.

    - Coordinates stay exact to the last digit.
    - Landmarks in another coordinate system than the mesh (LPS unless its file says otherwise) are
      converted to that of the mesh.
    - Missing landmarks stay missing, and curves are kept.
    - Vertices that a record of the same surface excludes are painted.

    Raises
    ------
    LandmarkFileError
        The landmarks have another dimension, or one lies farther off the surface than 5 % of
        sqrt(area): they belong to another specimen, unit, pose or system.
    """
    if landmarks is None:
        return Origin()
    surface = finder.surface
    if landmarks.points.shape[1] != surface.points.shape[1]:
        raise LandmarkFileError(
            f"{landmarks.specimen} has dimension {landmarks.points.shape[1]}, but {surface.name} "
            f"has dimension {surface.points.shape[1]}. They belong to another specimen."
        )
    landmarks = in_system_of(surface, landmarks)
    kinds = landmarks.kinds or ("",) * len(landmarks)
    authors = _authors(landmarks)
    marks = tuple(
        Mark(at, landmarks.labels[at], _place(finder, landmarks, at), kinds[at], authors[at])
        for at in range(len(landmarks))
    )
    _check_near(surface, marks)
    painted = mask_to_bytes(_excluded(surface, landmarks.record))
    state = State(marks, painted, following=len(marks), curves=landmarks.curves)
    return Origin(state, landmarks.record, landmarks.system)


def check_opens(surface: Surface, landmarks: Landmarks | None) -> None:
    """Refuse landmarks of another surface, as an editor would, before the work of making one."""
    origin_of(Finder(surface), landmarks)


def _place(finder: Finder, landmarks: Landmarks, at: int) -> Location | None:
    """Where a landmark is: its vertex if known and exact, otherwise the nearest place."""
    if landmarks.missing[at]:
        return None
    surface, point = finder.surface, landmarks.points[at]
    number = int(landmarks.vertices[at])
    vertex = surface.vertices_of(number) if 0 <= number < surface.file_vertex_count else -1
    if vertex >= 0 and (surface.points[vertex] == point).all():
        return finder.at(int(vertex))
    found = finder.nearest(point)
    return Location(tuple(point.tolist()), found.vertex, found.triangle, found.barycentric)


def _check_near(surface: Surface, marks: tuple[Mark, ...]) -> None:
    for mark in marks:
        if mark.place is None:
            continue
        where = surface.points[mark.place.vertex]
        if mark.place.triangle >= 0:
            where = mark.place.barycentric @ surface.points[surface.faces()[mark.place.triangle]]
        distance = np.linalg.norm(where - np.array(mark.place.point))
        if distance > FARTHEST * np.sqrt(surface_area(surface)):
            raise LandmarkFileError(
                f"Landmark '{mark.label}' lies {distance:.4g} (file units) off {surface.name}. It "
                "belongs to another specimen, unit, pose or coordinate system; 'gplandmark check' "
                "may show which."
            )


def _authors(landmarks: Landmarks) -> tuple[AuthorName, ...]:
    """Who placed each landmark, according to the record; a person if there is none."""
    people: tuple[AuthorName, ...] = tuple("human" for _ in landmarks.labels)
    if not landmarks.record.software or landmarks.record.outcome.get("expert"):
        return people
    try:
        request = landmarks.record.request
        recorded: tuple[Any, ...] = tuple(request.get("edits", {}).get("authors", ()))
        if len(recorded) == len(landmarks) and set(recorded) <= set(AUTHORS):
            return tuple(recorded)
        given = set(request.get("start", ()))
    except DAMAGED:
        return people
    return tuple("human" if each in given else "algorithm" for each in landmarks.vertices.tolist())


def _excluded(surface: Surface, record: Record) -> BoolArray:
    """Vertices (n,) of triangles that a record of this very surface excludes."""
    mask = np.zeros(surface.file_vertex_count, dtype=bool)
    source = None if surface.source is None else surface.source.sha256
    with suppress(*DAMAGED):
        about = (record.input.get("sha256"), record.input.get("vertices"))
        if about == (source, surface.vertex_count):
            for first, last in record.request.get("excluded", ()):
                mask[int(first) : int(last) + 1] = True
    return np.asarray(surface.from_file(mask) & surface.covered())
