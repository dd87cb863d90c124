# SPDX-License-Identifier: MIT
"""How far the surface reaches from its landmarks."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import IndexArray
from gplandmark.geometry.geodesics import geodesic_distances
from gplandmark.surface import Surface

__all__ = ["fill_distance"]


def fill_distance(
    surface: Surface, vertices: Sequence[int] | IndexArray, geodesic: bool = False
) -> float:
    """Largest distance from a vertex of the surface to the nearest landmark, in file units.

        h = max_x min_i d(x, x_i)

    with d the distance in space, or along the surface. It is infinite where a part of the
    surface has no landmark and d runs along the surface.
    """
    landmarks = np.asarray(vertices, dtype=np.int64)
    covered = surface.covered()
    if geodesic:
        return float(geodesic_distances(surface)(landmarks)[covered].max())
    return float(cKDTree(surface.points[landmarks]).query(surface.points[covered])[0].max())
