# SPDX-License-Identifier: MIT
"""Values at the vertices of a surface, averaged over neighbours; and connected parts of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.edges import edges
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class VertexGraph:
    """The vertices of a surface in space, and the edges between them."""

    surface: Surface

    @cached_property
    def points(self) -> FloatArray:
        """The points (n, 3), from their mean: scans lie far from the origin."""
        return np.asarray(self.surface.points - self.surface.points.mean(axis=0))

    @cached_property
    def links(self) -> "scipy.sparse.csr_array":
        """Ones (n, n) where an edge joins two vertices, in both directions."""
        first, second = edges(self.surface)[0].T.astype(np.int32)
        count = self.surface.vertex_count
        half = scipy.sparse.csr_array((np.ones(len(first)), (first, second)), shape=(count, count))
        return (half + half.T).tocsr()

    @cached_property
    def lengths(self) -> FloatArray:
        """Mean length of the edges at each vertex, shape (n,); 0 where there are none."""
        ends = edges(self.surface)[0]
        lengths = np.linalg.norm(self.points[ends[:, 0]] - self.points[ends[:, 1]], axis=1)
        sums = np.bincount(ends.ravel(), np.repeat(lengths, 2), self.surface.vertex_count)
        return np.asarray(sums / self._degrees)

    @cached_property
    def normals(self) -> FloatArray:
        """Unit normals (n, 3), those of the triangles weighted by area."""
        return vertex_normals(self.surface.points, self.surface.faces())

    @cached_property
    def _degrees(self) -> FloatArray:
        return np.asarray(np.maximum(np.diff(self.links.indptr), 1), dtype=np.float64)

    def neighbours_mean(self, values: FloatArray) -> FloatArray:
        """Mean over the neighbours of each vertex, of the shape of the values."""
        degrees = self._degrees if values.ndim == 1 else self._degrees[:, None]
        return np.asarray((self.links @ values) / degrees)

    def smoothed(self, values: FloatArray, steps: int) -> FloatArray:
        """Half of each value and half of the mean of its neighbours, as often as asked."""
        for _ in range(steps):
            values = (values + self.neighbours_mean(values)) / 2
        return values

    def grown(self, mask: BoolArray, steps: int) -> BoolArray:
        """The mask (n,) and its neighbours, as often as asked."""
        for _ in range(steps):
            mask = mask | (self.links @ mask.astype(np.float64) > 0)
        return mask

    def parts(self, mask: BoolArray) -> list[IndexArray]:
        """Vertices of each connected part of a mask, in the order of their first ones."""
        inside = np.flatnonzero(mask)
        links = self.links[inside][:, inside]
        count, labels = scipy.sparse.csgraph.connected_components(links, directed=False)
        order = np.argsort(labels, kind="stable")
        ends = np.cumsum(np.bincount(labels, minlength=count))[:-1]
        return np.split(inside[order], ends) if len(inside) else []
