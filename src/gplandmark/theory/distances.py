# SPDX-License-Identifier: MIT
"""How far a surface is from its landmarks, through space and along the surface."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import ScanError, SettingsError
from gplandmark.geometry.areas import proper_triangles
from gplandmark.selection.whitening import checked_landmarks
from gplandmark.surface import Surface

__all__ = ["fill_distance", "geodesic_distances", "geodesic_fill_distance"]


def fill_distance(points: FloatArray, landmarks: Sequence[int] | IndexArray) -> float:
    """Distance from the farthest point to its nearest landmark, equation (defn-fill-distance).

    h = max over x of min over landmarks x_j of |x - x_j|, through space, over points (n, d).
    """
    chosen = _some(landmarks, len(points))
    distances, _ = cKDTree(points[chosen]).query(points)
    return float(distances.max())


def geodesic_distances(surface: Surface, landmarks: Sequence[int] | IndexArray) -> FloatArray:
    """Distance along the surface to the nearest landmark, by fast marching, shape (n,).

    The error falls with the edge length h as h log(1 / h); on a sphere of 10,000 vertices it is
    about 1 %. The distance is infinite on a part of the surface that no landmark can reach, and
    at vertices of no triangle.

    Raises
    ------
    ScanError
        The surface has no triangles, or they do not form a manifold.
    SettingsError
        A landmark does not exist, belongs to no triangle, or there is none.
    """
    import potpourri3d  # slow to import, and nothing else needs it

    chosen = _some(landmarks, surface.vertex_count)
    used, corners = np.unique(proper_triangles(surface), return_inverse=True)
    loose = np.setdiff1d(chosen, used)
    if len(loose):
        raise SettingsError(
            f"The landmark at vertex {loose[0]} belongs to no triangle of {surface.name}: no way "
            "along the surface leads to it."
        )
    starts = np.searchsorted(used, chosen)
    sources: list[list[tuple[int, list[float]]]] = [[(int(start), [])] for start in starts]
    distances = np.full(surface.vertex_count, np.inf)
    # The library drops vertices of no triangle and numbers the others anew; so do we, knowingly.
    try:
        solver = potpourri3d.MeshFastMarchingDistanceSolver(
            surface.points[used], corners.reshape(-1, 3)
        )
        distances[used] = solver.compute_distance(sources)
    except RuntimeError as problem:
        raise ScanError(
            f"{surface.name} has no distances along it: its triangles do not form a manifold. "
            "Repair it in a mesh editor, or use the distance through space."
        ) from problem
    return distances


def geodesic_fill_distance(surface: Surface, landmarks: Sequence[int] | IndexArray) -> float:
    """Distance along the surface from the farthest vertex to its nearest landmark.

    Raises
    ------
    ScanError
        A part of the surface carries no landmark, or it has no distances along it.
    SettingsError
        A landmark does not exist, belongs to no triangle, or there is none.
    """
    distances = geodesic_distances(surface, landmarks)[surface.covered()]
    beyond = int(np.count_nonzero(np.isinf(distances)))
    if beyond:
        raise ScanError(
            f"{surface.name} is in several pieces, and {beyond:,} vertices lie on pieces without "
            "a landmark. Put one on each, or measure each piece by itself."
        )
    return float(distances.max())


def _some(landmarks: Sequence[int] | IndexArray, size: int) -> IndexArray:
    chosen = np.unique(checked_landmarks(landmarks, size))
    if len(chosen) == 0:
        raise SettingsError("There are no landmarks. Give at least one.")
    return chosen
