# SPDX-License-Identifier: MIT
"""What a viewer is asked to show: a scan, and landmarks from a file or placed now."""

from dataclasses import dataclass
from pathlib import Path

from gplandmark.cli.terminal import progress_bar
from gplandmark.errors import SettingsError
from gplandmark.io.start_landmarks import read_sets
from gplandmark.landmarks import Landmarks, MethodSettings, place
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor import check_opens
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer import DisplayMesh, Exhibit, Steps, steps_of

__all__ = ["Asked", "asked_for", "landmarks_for", "steps_for"]

PLACED = "placed here"


@dataclass(frozen=True, eq=False)
class Asked:
    """An exhibit, landmarks that were given for it, and how many to place if none were."""

    exhibit: Exhibit
    landmarks: Landmarks | None
    name: str
    count: int


def asked_for(
    surface: Surface,
    mesh: DisplayMesh,
    path: Path | None,
    settings: MethodSettings | None,
    weight: FloatArray | None = None,
    count: int = 0,
    *,
    is_edited: bool = False,
) -> Asked:
    """A scan with the landmarks of a file, or with as many as are placed later.

    Without settings the method is that of the landmarks' record, or the paper's. Landmarks of
    another specimen and impossible counts are refused here, before anything opens. Missing
    landmarks can be edited, but not just viewed.
    """
    landmarks, name = None, PLACED
    if path is not None:
        ((name, landmarks),) = read_sets(surface, (path,)).items()
        if is_edited:
            check_opens(surface, landmarks)
        else:
            vertices_on(surface, landmarks, name)
    elif not 1 <= count <= surface.vertex_count:
        raise SettingsError(
            f"{surface.name}: the number of landmarks must be from 1 to "
            f"{surface.vertex_count:,}, the number of vertices, got {count}."
        )
    method = Method.of(landmarks, settings, weight)
    return Asked(Exhibit(surface, surface.name, mesh, method), landmarks, name, count)


def steps_for(asked: Asked) -> Steps:
    """The steps of the landmarks that were given, or of landmarks that are placed now."""
    surface, method = asked.exhibit.surface, asked.exhibit.method
    drawn = asked.exhibit.mesh.vertices
    return steps_of(surface, method.kernel(surface), landmarks_for(asked), drawn, asked.name)


def landmarks_for(asked: Asked) -> Landmarks:
    """The landmarks that were given, or as many as were asked for, placed now."""
    if asked.landmarks is not None:
        return asked.landmarks
    surface, method = asked.exhibit.surface, asked.exhibit.method
    with progress_bar(asked.count, shown=True) as progress:
        return place(
            surface, asked.count, settings=method.settings, weight=method.weight,
            progress=progress,
        )  # fmt: skip
