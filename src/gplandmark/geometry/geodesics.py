# SPDX-License-Identifier: MIT
"""Distances along a surface."""

from collections.abc import Callable

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import SettingsError
from gplandmark.surface import Surface

__all__ = ["geodesic_distances"]


def geodesic_distances(surface: Surface) -> Callable[[IndexArray], FloatArray]:
    """Return a function from vertices to the distance (n,) of every vertex to the nearest.

    Distances are those of fast marching (potpourri3d): within a percent on a good mesh, of
    any size; the heat method loses its digits on large ones. Where a part of the surface has
    none of the vertices they are infinite. Fast marching sets out from every vertex of a call
    at once; it is prepared once for all calls.

    Raises
    ------
    SettingsError
        potpourri3d is not installed.
    """
    try:
        from potpourri3d import MeshFastMarchingDistanceSolver
    except ImportError:
        raise SettingsError(
            "Distances along a surface need potpourri3d, which is not installed. "
            "Run: python -m pip install 'gplandmark[geodesic]'"
        ) from None
    solver = MeshFastMarchingDistanceSolver(surface.points, surface.faces())

    def distances(sources: IndexArray) -> FloatArray:
        starts: list[list[tuple[int, list[float]]]] = [[(int(vertex), [])] for vertex in sources]
        return np.asarray(solver.compute_distance(starts, sign=False), dtype=np.float64)

    return distances
