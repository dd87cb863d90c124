# SPDX-License-Identifier: MIT
"""A surface against its own mirror image."""

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.geometry import principal_frame, vertex_areas
from gplandmark.geometry.areas import proper_triangles, triangle_normals
from gplandmark.surface import Surface
from gplandmark.symmetry.mirroring import mirrored

__all__ = ["KEPT", "Matcher"]

KEPT = 0.8  # share of the area that must agree; the rest may be broken off


class Matcher:
    """Some vertices of a surface, which are mirrored, and the surface, which is searched.

    The vertices are taken evenly by their distance from the centre: distances belong to the shape,
    so that the choice does not follow the numbering.
    """

    def __init__(self, surface: Surface, count: int) -> None:
        import igl

        self.vertices, self.triangles = surface.points, proper_triangles(surface)
        normals = triangle_normals(self.vertices, self.triangles)
        self.normals = normals / np.linalg.norm(normals, axis=1)[:, None]
        self.tree = igl.AABB()
        self.tree.init(self.vertices, self.triangles)
        centre, _ = principal_frame(surface)
        covered = np.flatnonzero(surface.covered())
        far = np.linalg.norm(self.vertices[covered] - centre, axis=1)
        chosen = covered[np.argsort(far, kind="stable")[:: max(1, len(covered) // count)]]
        self.points, self.weights = self.vertices[chosen], vertex_areas(surface)[chosen]

    def match(
        self, plane: tuple[FloatArray, FloatArray]
    ) -> tuple[float, FloatArray, FloatArray, IndexArray]:
        """Mirror the points and find where on the surface they should lie.

        Returns
        -------
        residual : root mean square of the distances over the share `KEPT` that agree best
        found : (m, 3) nearest points of the surface
        slopes : (m, 3) its unit normals there
        kept : which of the points agree best
        """
        images = mirrored(self.points, *plane)
        squares, triangle, found = self.tree.squared_distance(self.vertices, self.triangles, images)
        order = np.argsort(squares)
        share = np.cumsum(self.weights[order]) / self.weights.sum()
        kept = order[: int(np.searchsorted(share, KEPT)) + 1]
        mean = self.weights[kept] @ squares[kept] / self.weights[kept].sum()
        return float(np.sqrt(mean)), np.asarray(found), self.normals[triangle], kept
