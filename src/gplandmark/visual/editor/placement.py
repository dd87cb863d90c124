# SPDX-License-Identifier: MIT
"""Where landmarks go: under a click, nearest to a point, or where the algorithm continues."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.selection import Progress, select
from gplandmark.landmarks import MethodSettings
from gplandmark.mesh.closest_point import ClosestTriangle
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.rays import Target, along_and_beside
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.vertex_graph import VertexGraph
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.editor.state import Location, State, mask_from_bytes

AT_CORNER = 1e-9  # a barycentric weight this close to 1 is the corner itself
SOME = 2000  # points of a cloud from which the spacing is measured
BESIDE = 1.5  # times that: points of a cloud this close to a ray are met by it


class Finder:
    """Finds places on a surface: its triangles, or the points of a bare cloud.

    All triangles are looked at, with no tree to build: a click takes some milliseconds per 100,000.
    """

    def __init__(self, surface: Surface) -> None:
        self.surface = surface

    def at(self, vertex: int) -> Location:
        """A vertex of the surface."""
        return Location(tuple(self.surface.points[vertex].tolist()), int(vertex))

    def nearest(self, point: npt.ArrayLike) -> Location:
        """The place that is nearest to a point.

        Raises
        ------
        SettingsError
            It does not have as many coordinates as the surface, all finite.
        """
        asked = self._checked(point, "point")
        distance, found = self._tree.query(asked)
        if self.surface.triangles is None:
            return self.at(self._covered[found])
        return self._on(*self._triangles.to(asked, float(distance)))

    def along(self, origin: npt.ArrayLike, direction: npt.ArrayLike) -> Location | None:
        """The first place that a ray meets, or None.

        All triangles count, from both sides. Of a bare cloud it is the point nearest to the ray
        among the first that come close to it.

        Raises
        ------
        SettingsError
            The surface is not in space, or the direction is zero.
        """
        if self.surface.points.shape[1] != 3:
            raise SettingsError(f"{self.surface.name} does not lie in space: no ray meets it.")
        start, way = self._checked(origin, "origin"), self._checked(direction, "direction")
        if not np.linalg.norm(way) > 0:
            raise SettingsError("The direction of a ray must not be zero.")
        way = way / np.linalg.norm(way)
        if self.surface.triangles is None:
            return self._point_along(start, way)
        hit = self._target.hit(start, way)
        return None if hit is None else self._on(hit.triangle, hit.barycentric)

    def ball(self, point: npt.ArrayLike, radius: float) -> IndexArray:
        """Vertices of the surface within a radius of a point, through the material too."""
        if not (np.isfinite(radius) and radius > 0):
            raise SettingsError(f"The radius must be a positive number, got {radius}.")
        found = self._tree.query_ball_point(self._checked(point, "point"), radius)
        return self._covered[np.array(found, dtype=np.int64)]

    def disc(self, place: Location, radius: float) -> IndexArray:
        """Vertices within a radius of a place that hang together with it there.

        The other side of a thin bone is not among them. In a bare cloud all count.
        """
        near = self.ball(place.point, radius)
        if self.surface.triangles is None:
            return near
        mask = np.zeros(self.surface.vertex_count, dtype=bool)
        mask[near] = mask[place.vertex] = True
        return next(part for part in self._graph.parts(mask) if place.vertex in part)

    def _point_along(self, start: FloatArray, way: FloatArray) -> Location | None:
        ahead, aside = along_and_beside(self.surface.points - start, way)
        aside = np.where(ahead >= 0, aside, np.inf)
        if not np.isfinite(aside.min()):
            return None
        reach = max(self._spacing, float(aside.min()))
        met = np.flatnonzero(aside <= reach)
        first = met[ahead[met] <= ahead[met].min() + reach]
        return self.at(first[aside[first].argmin()])

    def _on(self, triangle: int, barycentric: FloatArray) -> Location:
        corners = self.surface.faces()[triangle]
        if barycentric.max() >= 1 - AT_CORNER:
            return self.at(corners[barycentric.argmax()])
        points = self.surface.points[corners]
        # Relative to a corner: scans lie far from the origin, and weights are rounded.
        point = points[0] + barycentric[1:] @ (points[1:] - points[0])
        closest = int(np.linalg.norm(points - point, axis=1).argmin())
        return Location(
            tuple(point.tolist()), int(corners[closest]), triangle, tuple(barycentric.tolist())
        )

    def _checked(self, values: npt.ArrayLike, what: str) -> FloatArray:
        dimension = self.surface.points.shape[1]
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.shape != (dimension,) or not np.isfinite(array).all():
            raise SettingsError(f"The {what} must be {dimension} finite numbers, got {values!r}.")
        return array

    @cached_property
    def _covered(self) -> IndexArray:
        return np.flatnonzero(self.surface.covered())

    @cached_property
    def _tree(self) -> "scipy.spatial.cKDTree":
        # Few queries: building the tree quickly matters more than searching it quickly.
        return scipy.spatial.cKDTree(
            self.surface.points[self._covered], compact_nodes=False, balanced_tree=False
        )

    @cached_property
    def _graph(self) -> VertexGraph:
        return VertexGraph(self.surface)

    @cached_property
    def _target(self) -> Target:
        return Target(self.surface)

    @cached_property
    def _triangles(self) -> ClosestTriangle:
        return ClosestTriangle(self.surface)

    @cached_property
    def _spacing(self) -> float:
        points = self.surface.points
        some = points[:: max(1, len(points) // SOME)]
        return BESIDE * float(np.median(nearest(points, 2, some)[0][:, 1]))


@dataclass(frozen=True, eq=False)
class SurfaceProcess:
    """A Gaussian process on a surface: how its covariance is made, and that kernel.

    The weight (n,) is in place of that of the settings, if there is one.
    """

    surface: Surface
    settings: MethodSettings
    weight: FloatArray | None
    kernel: Kernel


def continued(
    process: SurfaceProcess, state: State, count: int, progress: Progress | None = None
) -> list[int]:
    """Vertices of the next landmarks, where the variance given all earlier ones is largest.

    They are those of `gplandmark.place` with the nearest vertices of the landmarks as `start`
    and the painted ones as `exclude`. Missing landmarks do not count.

    Raises
    ------
    SettingsError
        The count is below 1, or above the number of free vertices.
    """
    surface, vertices = process.surface, state.vertices()
    start = list(dict.fromkeys(vertices[vertices >= 0].tolist()))
    count_of_all = surface.vertex_count
    allowed = surface.covered() & ~mask_from_bytes(state.painted, count_of_all)
    allowed &= ~mask_from_bytes(state.not_bone, count_of_all)
    free = allowed.copy()
    free[start] = False
    left = int(np.count_nonzero(free))
    if not 1 <= count <= left:
        raise SettingsError(
            f"Ask for 1 to {left:,} more landmarks, the number of vertices that are neither "
            f"painted nor landmarks; got {count}."
        )
    found = select(
        process.kernel, len(start) + count, start=start, candidates=allowed, progress=progress
    )
    new: list[int] = found.indices[len(start) - len(found.skipped) :][:count].tolist()
    return new
