# SPDX-License-Identifier: MIT
"""A bare cloud as something that can be drawn: a small square along the surface at every point."""

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry import cloud_areas
from gplandmark.geometry.nearest import nearest
from gplandmark.surface import Surface

__all__ = ["CORNERS", "with_squares"]

CORNERS = 4
NEIGHBOURS = 12
SIDE = 1.5  # of sqrt(area of a point): squares overlap, so that no gap shows between them
LARGEST = 2.0  # medians of the side: a point far from all others does not cover them


def with_squares(cloud: Surface) -> Surface:
    """Return a square of two triangles for every point, in the plane of its neighbours.

    The corners of point i are the vertices 4 i to 4 i + 3. Which way a square faces is
    arbitrary; both sides are lit.
    """
    across, along = _tangents(cloud.points)
    sides = SIDE * np.sqrt(cloud_areas(cloud))
    half = np.minimum(sides, LARGEST * np.median(sides))[:, None] / 2
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    points = np.stack(
        [cloud.points + half * (x * across + y * along) for x, y in corners], axis=1
    ).reshape(-1, 3)
    first = CORNERS * np.arange(cloud.vertex_count)[:, None]
    triangles = (first + np.array([0, 1, 2, 0, 2, 3])).reshape(-1, 3)
    return Surface(points, triangles, cloud.name)


def _tangents(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two unit vectors (n, 3) each, along the widest directions of the nearest points."""
    near = nearest(points, min(NEIGHBOURS, len(points)))[1]
    offsets = points[near] - points[:, None]
    offsets -= offsets.mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(np.einsum("nki,nkj->nij", offsets, offsets))[1]
    return axes[:, :, 2], axes[:, :, 1]
