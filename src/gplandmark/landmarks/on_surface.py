# SPDX-License-Identifier: MIT
"""Landmarks and vertices: which may be picked, which is nearest, and how far off the surface."""

from collections.abc import Sequence

import numpy as np
import scipy

from gplandmark.errors import LandmarkFileError, SettingsError, warn
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.mesh import surface_area
from gplandmark.mesh.as_surface import as_surface
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import finite_numbers, vertex_list
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray


def nearest_vertices(surface: Surface, points: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Number in the file of the vertex that is nearest to each point (m, d), and how far it is."""
    surface = as_surface(surface)
    points = finite_numbers(points, "The points")
    if points.ndim != 2:
        raise SettingsError(f"Expected points of shape (m, d), got {points.shape}.")
    if points.shape[1] != surface.points.shape[1]:
        raise SettingsError(
            f"The points have dimension {points.shape[1]}, but {surface.name} has dimension "
            f"{surface.points.shape[1]}. They belong to another specimen."
        )
    covered = np.flatnonzero(surface.covered())
    distances, nearest = scipy.spatial.cKDTree(surface.points[covered]).query(points)
    return surface.in_file(covered[nearest]), np.asarray(distances)


def candidates_on(surface: Surface, exclude: BoolArray | IndexArray | Sequence[int]) -> BoolArray:
    """Mask of the vertices that may be picked: on the surface, and not excluded."""
    candidates = surface.covered()
    loose = int(np.count_nonzero(~candidates))
    if loose:
        warn(
            f"{surface.name} has {loose:,} vertices that belong to no triangle; "
            "no landmark is placed on them."
        )
    excluded = vertex_list(exclude, "Excluded vertices", masks=True)
    if excluded.size:
        check_listed(excluded, surface, "excluded vertices")
        if excluded.dtype == bool:
            excluded = surface.from_file(excluded)
        elif surface.numbers is not None:
            excluded = surface.vertices_of(excluded)
            excluded = excluded[excluded >= 0]  # without those that cleaning removed
        candidates[excluded] = False
    return candidates


def check_listed(listed: BoolArray | IndexArray, surface: Surface, what: str) -> None:
    """Refuse vertices that are neither numbers of the scan's file nor a mask; `what` names them.

    Raises
    ------
    SettingsError
        A mask has another length, a number is none of the file, or the numbers are a mask in
        disguise: as many as there are vertices, all 0 or 1.
    """
    count = surface.file_vertex_count
    if listed.dtype == bool:
        if listed.shape not in ((count,), (surface.vertex_count,)):
            raise SettingsError(
                f"The mask of {what} must have {count:,} entries, one per vertex of "
                f"{surface.name}, got shape {listed.shape}."
            )
        return
    if not np.issubdtype(listed.dtype, np.integer):
        raise SettingsError(f"The {what} must be whole numbers or a mask.")
    if listed.min(initial=0) < 0 or listed.max(initial=0) >= count:
        raise SettingsError(
            f"One of the {what} does not exist: the vertices of {surface.name} are "
            f"numbered 0 to {count - 1}."
        )
    if len(listed) == count and listed.max() <= 1:
        raise SettingsError(
            f"The {what} look like a mask of zeros and ones, but are whole numbers. "
            "Give a mask as booleans (.npy), or the numbers of the vertices."
        )


def starting_vertices(surface: Surface, start: Sequence[int] | IndexArray) -> IndexArray:
    """Vertices of the surface for numbers of the file.

    Raises
    ------
    SettingsError
        A number is not one of the file, or its vertex was removed when the scan was cleaned.
    """
    vertices = surface.vertices_of(start)
    if (vertices < 0).any():
        missing = np.asarray(start)[np.argmin(vertices)]
        raise SettingsError(
            f"The starting landmark at vertex {missing} lies on a part of {surface.name} that was "
            "removed when the scan was cleaned. Keep all its components, or leave it out."
        )
    return vertices


FARTHEST = 0.05  # of sqrt(area): farther off the surface, landmarks belong to another one


def distances_off(surface: Surface, points: FloatArray) -> FloatArray:
    """Distance (k,) of points (k, 3) to the surface, its triangles and not only its vertices."""
    return np.asarray(np.sqrt(np.maximum(ClosestPoints(surface).to(points)[0], 0.0)))


def vertices_on(surface: Surface, landmarks: Landmarks, name: str) -> tuple[IndexArray, float]:
    """Vertex of the surface nearest to each landmark, and how far off the farthest landmark is.

    Raises
    ------
    LandmarkFileError
        There are no landmarks, one is missing, or one lies farther off than 5 % of sqrt(area).
    """
    if len(landmarks) == 0:
        raise LandmarkFileError(f"{name} holds no landmarks.")
    if landmarks.missing.any():
        raise LandmarkFileError(
            f"{name}: landmark {landmarks.labels[int(np.argmax(landmarks.missing))]} is missing. "
            "Leave it out."
        )
    nearest, distances = nearest_vertices(surface, landmarks.points)
    if surface.triangles is not None:
        distances = distances_off(surface, landmarks.points)
    farthest = float(distances.max())
    fraction = farthest / np.sqrt(surface_area(surface))
    if fraction > FARTHEST:
        raise LandmarkFileError(
            f"{name}: a landmark lies {farthest:.4g} (file units) off {surface.name}, "
            f"{100 * fraction:.3g} % of its size, and at most {100 * FARTHEST:g} % are allowed. "
            "It belongs to another specimen, unit, pose or coordinate system; "
            "'gplandmark check' may find out which."
        )
    return surface.vertices_of(nearest), farthest
