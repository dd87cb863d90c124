# SPDX-License-Identifier: MIT
"""How bright a surface is: two lights, and shadow in its grooves."""

import numpy as np

from gplandmark.mesh import cloud_areas
from gplandmark.mesh.areas import triangle_normals
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["CORNERS", "darkness", "lit", "vertex_normals", "with_squares"]

# Both lights lie in one plane with the viewer, the stronger one above and to the left.
KEY = np.array([-0.45, 0.45, 0.77])
FILL = np.array([0.5, -0.5, 0.71])
AMBIENT, KEY_STRENGTH, FILL_STRENGTH = 0.30, 0.62, 0.22

# Grooves and basins receive less light: depth below the surroundings, as a share of the
# picture, darkens by up to the last number.
SURROUNDINGS, GROOVE_STRENGTH, GROOVE_DARKEST = 0.025, 9.0, 0.35


def vertex_normals(surface: Surface) -> FloatArray:
    """Sum of the normals of the triangles around each vertex, weighted by area, (n, 3)."""
    flat = triangle_normals(surface.points, surface.faces())
    corners, count = surface.faces().ravel(), surface.vertex_count
    sums = [np.bincount(corners, np.repeat(flat[:, axis], 3), count) for axis in range(3)]
    normals = np.column_stack(sums)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(lengths > 0, lengths, 1.0))


def lit(normals: FloatArray) -> FloatArray:
    """Brightness (k,) of normals (3, k) as the camera sees them; both sides are lit."""
    lengths = np.sqrt(np.einsum("dk,dk->k", normals, normals))
    facing = np.where(normals[2] < 0, -1.0, 1.0) / np.where(lengths > 0, lengths, 1.0)
    key, fill = (
        np.clip(light @ normals * facing / np.linalg.norm(light), 0, 1) for light in (KEY, FILL)
    )
    return np.asarray(np.clip(AMBIENT + KEY_STRENGTH * key + FILL_STRENGTH * fill, 0, 1))


def darkness(depth: FloatArray, across: float) -> FloatArray:
    """How much darker a pixel is for lying below its surroundings; 0 elsewhere.

    `depth` (h, w) tells how near each is, -inf where nothing shows; `across` is the width of the
    picture in the same unit.
    """
    shown = np.isfinite(depth)
    width = SURROUNDINGS * depth.shape[1]
    near = _blurred(np.where(shown, depth, 0.0), width)
    share = _blurred(shown.astype(np.float64), width)
    below = np.where(shown, near / np.maximum(share, 1e-6) - np.where(shown, depth, 0.0), 0.0)
    return np.asarray(np.clip(GROOVE_STRENGTH * below / across, 0, GROOVE_DARKEST))


def _blurred(plane: FloatArray, width: float) -> FloatArray:
    """Means around every pixel with weights near a Gaussian of that standard deviation.

    Three means over boxes, which cost the same however wide: 3 (w^2 - 1) / 12 is the variance.
    """
    from scipy.ndimage import uniform_filter  # only pictures need it

    box = max(1, round(np.sqrt(4 * width**2 + 1)))
    for _ in range(3):
        plane = uniform_filter(plane, box)
    return np.asarray(plane)


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
