# SPDX-License-Identifier: MIT
"""What a viewer is asked to show: a scan, and landmarks from a file or placed now."""

import warnings
from dataclasses import dataclass
from pathlib import Path

from gplandmark.cli.on_mesh import on_the_mesh
from gplandmark.cli.terminal import progress_bar
from gplandmark.comparison.surface_vertices import vertices_on
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.files import read_landmarks
from gplandmark.landmarks import Landmarks, covariance, place
from gplandmark.viewer import Exhibit, Steps, steps_of

__all__ = ["Asked", "add_steps", "checked", "read_set"]

PLACED = "placed here"


@dataclass(frozen=True, eq=False)
class Asked:
    """An exhibit, landmarks that were given for it, and how many to place if none were."""

    exhibit: Exhibit
    landmarks: tuple[Landmarks, str] | None
    count: int


def read_set(path: Path | None) -> tuple[Landmarks, str] | None:
    """Landmarks of a file as they lie on the scan, and the name of the file."""
    if path is None:
        return None
    landmarks, notes = on_the_mesh(read_landmarks(path), path.name)
    for note in notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
    return landmarks, path.name


def checked(asked: Asked) -> None:
    """Refuse landmarks of another specimen and impossible counts, before anything opens."""
    surface = asked.exhibit.surface
    if asked.landmarks is not None:
        vertices_on(surface, *asked.landmarks)
    elif not 1 <= asked.count <= surface.vertex_count:
        raise SettingsError(
            f"{surface.name}: the number of landmarks must be from 1 to "
            f"{surface.vertex_count:,}, the number of vertices, got {asked.count}."
        )


def add_steps(asked: Asked) -> Steps:
    """The steps of the landmarks that were given, or of landmarks that are placed now."""
    exhibit = asked.exhibit
    surface, settings, weight = exhibit.surface, exhibit.settings, exhibit.weight
    if asked.landmarks is None:
        with progress_bar(asked.count, shown=True) as progress:
            placed = place(
                surface, asked.count, settings=settings, weight=weight, progress=progress
            )
        landmarks, name = placed, PLACED
    else:
        landmarks, name = asked.landmarks
    kernel = covariance(surface, settings, weight)
    return steps_of(surface, kernel, landmarks, exhibit.mesh.vertices, name)
