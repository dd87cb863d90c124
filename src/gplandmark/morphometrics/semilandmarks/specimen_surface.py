# SPDX-License-Identifier: MIT
"""The surface and the curves of a specimen, to which its sliding landmarks return."""

from collections.abc import Sequence

import numpy as np

from gplandmark.landmarks.curves import Curve, closest_on_path
from gplandmark.landmarks.curves_on_surface import SurfacePaths
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.semilandmarks.sliders import Sliders
from gplandmark.numerics.arrays import FloatArray


class SpecimenSurface:
    """Triangles of a specimen, and its curves through the landmarks (k, 3) given.

    Between two landmarks a curve is the straight line, laid on the surface; see `SurfacePaths`.
    """

    def __init__(self, surface: Surface, points: FloatArray, curves: Sequence[Curve] = ()) -> None:
        import igl

        paths = SurfacePaths(surface)
        self._closest = paths.closest
        self._normals = igl.per_vertex_normals(self._closest.points, self._closest.triangles)
        self._paths = [
            (
                np.array(each.members),
                paths.laid(points[[*each.members, *each.members[: each.is_closed]]]),
            )
            for each in curves
        ]

    def normals(self, points: FloatArray) -> FloatArray:
        """Unit normals (n, 3) at the closest points of the surface, between those of vertices."""
        _, which, found = self._closest.to(points)
        corners = self._closest.triangles[which]
        weights = _barycentric(found, self._closest.points[corners])
        normals = (weights[:, None] @ self._normals[corners])[:, 0]
        return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))

    def returned(self, points: FloatArray, sliders: Sliders) -> FloatArray:
        """Points (k, 3) whose sliding ones are back on their curve and on the surface."""
        back = points.copy()
        for members, path in self._paths:
            inside = members[np.isin(members, sliders.curves[:, 1])]
            back[inside] = closest_on_path(back[inside], path)
        back[sliders.sliding] = self._closest.to(back[sliders.sliding])[2]
        return back


def _barycentric(points: FloatArray, corners: FloatArray) -> FloatArray:
    """Barycentric coordinates (n, 3) of points (n, 3) on triangles (n, 3, 3)."""
    sides = np.stack([np.cross(corners[:, (at + 1) % 3] - points, corners[:, (at + 2) % 3] - points)
                      for at in range(3)], axis=1)  # fmt: skip
    areas = np.linalg.norm(sides, axis=2)
    return np.asarray(areas / areas.sum(axis=1, keepdims=True))
