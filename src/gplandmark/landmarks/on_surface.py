# SPDX-License-Identifier: MIT
"""Whether landmarks belong to a surface, and which of its vertices stand for them."""

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.vertices import nearest_vertices
from gplandmark.mesh import surface_area
from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["FARTHEST", "distances_off", "vertices_on"]

FARTHEST = 0.05  # of sqrt(area): farther off the surface, landmarks belong to another one


def distances_off(surface: Surface, points: FloatArray) -> FloatArray:
    """Distance (k,) of points (k, 3) to the surface, its triangles and not only its vertices."""
    import igl

    squared = igl.point_mesh_squared_distance(
        np.ascontiguousarray(points), surface.points, proper_triangles(surface)
    )[0]
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


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
    share = farthest / np.sqrt(surface_area(surface))
    if share > FARTHEST:
        raise LandmarkFileError(
            f"{name}: a landmark lies {farthest:.4g} (file units) off {surface.name}, "
            f"{100 * share:.3g} % of its size, and at most {100 * FARTHEST:g} % are allowed. "
            "It belongs to another specimen, unit, pose or coordinate system; "
            "'gplandmark check' may tell which."
        )
    return surface.vertices_of(nearest), farthest
