# SPDX-License-Identifier: MIT
"""The vertices at which the variance is kept, so that memory and waiting stay bounded."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.geometry.nearest import nearest
from gplandmark.kernel import Kernel, PartKernel
from gplandmark.surface import Surface

__all__ = ["MOST", "Witnesses", "witnesses_of"]

MOST = 250_000  # 2 MB for each landmark
SEED = 0  # any will do; the same surface shall give the same map


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Vertices that speak for those around them.

    Attributes
    ----------
    vertices : (k,) the witnesses
    nearest : (n,) for every vertex the number of the witness that is nearest to it
    """

    vertices: IndexArray
    nearest: IndexArray

    @property
    def are_all(self) -> bool:
        """Whether every vertex speaks for itself."""
        return len(self.vertices) == len(self.nearest)

    def kernel(self, whole: Kernel) -> Kernel:
        """A kernel over all vertices, at the witnesses."""
        return whole if self.are_all else PartKernel(whole, self.vertices)

    def sums(self, values: FloatArray) -> FloatArray:
        """The sum of values (n,) over the vertices that each witness speaks for, shape (k,)."""
        if self.are_all:
            return values
        return np.bincount(self.nearest, values, len(self.vertices)).astype(np.float64)


def witnesses_of(surface: Surface, most: int = MOST) -> Witnesses:
    """All vertices, or a random choice of them where there are more than `most`.

    Only vertices of triangles are chosen. A landmark then counts for the map as if it stood at the
    witness nearest to it: with 250,000 of them that is nearer than any bandwidth in use.
    """
    count = surface.vertex_count
    if count <= most:
        every = np.arange(count)
        return Witnesses(every, every)
    covered = np.flatnonzero(surface.covered())
    chosen = np.random.default_rng(SEED).permutation(len(covered))[:most]
    vertices = np.sort(covered[chosen])
    return Witnesses(vertices, nearest(surface.points[vertices], 1, surface.points)[1][:, 0])
