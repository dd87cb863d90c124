# SPDX-License-Identifier: MIT
"""Landmarks between vertices: the largest variance on the triangles around a vertex."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

VarianceAt = Callable[[FloatArray], FloatArray]

# Corners and middles of the sides, in barycentric coordinates: they determine a quadratic.
NODES = np.array(
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]], dtype=float
)
ROUNDS = 3  # each on a triangle of a quarter of the side; the last decides beyond rounding
SHRINK = 0.25


@dataclass(frozen=True, eq=False)
class SurfacePoint:
    """A point of a surface: a triangle, and barycentric coordinates in it.

    Attributes
    ----------
    triangle : a row of `Surface.triangles`. Where cleaning dropped triangles, or cut polygons into
        them, it is not the number of the face in the file; `corners` identify that
    barycentric : (3,) weights of the corners, with sum 1
    corners : (3,) vertex numbers in the file, in the order of the weights
    """

    triangle: int
    barycentric: FloatArray
    corners: IndexArray

    @property
    def shares(self) -> FloatArray:
        """Deprecated: use `barycentric`."""
        text = "SurfacePoint.shares is deprecated: use barycentric."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return self.barycentric

    @classmethod
    def on(cls, surface: Surface, triangle: int, barycentric: FloatArray) -> "SurfacePoint":
        """The point with these barycentric coordinates in a triangle."""
        return cls(triangle, barycentric, surface.in_file(surface.faces()[triangle]))


@dataclass
class Mover:
    """Moves a pick to the largest variance on the triangles around its vertex.

    The kernel itself is evaluated between vertices: a variance interpolated from the corners would
    always peak at a corner. Triangles with an excluded corner are left alone.

    Attributes
    ----------
    places : where the picks went, in order
    """

    surface: Surface
    allowed: BoolArray
    places: list[SurfacePoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        corners = self.surface.faces().ravel()
        self._around = np.argsort(corners, kind="stable") // 3
        self._starts = np.searchsorted(np.sort(corners), np.arange(self.surface.vertex_count + 1))

    def __call__(self, vertex: int, variance_at: VarianceAt) -> FloatArray:
        """The point of largest variance near a vertex, shape (3,)."""
        if len(triangles := self.around(vertex)):
            place = best_place(self.surface, triangles, variance_at)
        else:
            place = self.at_vertex(vertex)
        self.places.append(place)
        corners = self.surface.points[self.surface.faces()[place.triangle]]
        return np.asarray(place.barycentric @ corners)

    def at_vertex(self, vertex: int) -> SurfacePoint:
        """A vertex as a place on one of its triangles."""
        triangle = int(self._around[self._starts[vertex]])
        weights = (self.surface.faces()[triangle] == vertex).astype(float)
        return SurfacePoint.on(self.surface, triangle, weights)

    def around(self, vertex: int) -> IndexArray:
        """Triangles at a vertex, without those that have an excluded corner."""
        near = self._around[self._starts[vertex] : self._starts[vertex + 1]]
        return near[self.allowed[self.surface.faces()[near]].all(axis=1)]


def best_place(surface: Surface, triangles: IndexArray, variance_at: VarianceAt) -> SurfacePoint:
    """The place of largest variance on some triangles.

    On each triangle the quadratic through six values is maximised; then again on ever smaller
    triangles around the best place, which converges as fast as a smooth function allows.
    """
    frames = np.broadcast_to(np.eye(3), (len(triangles), 3, 3))
    for size in SHRINK ** np.arange(1, ROUNDS + 1):
        corners = frames @ surface.points[surface.faces()[triangles]]
        values = variance_at((NODES @ corners).reshape(-1, 3)).reshape(len(triangles), 6)
        weights = np.array([highest(each) for each in values])
        tops = variance_at(np.einsum("tc,tcd->td", weights, corners))
        # A node may beat the top of the quadratic through it.
        nodes = np.where(values.max(axis=1) > tops, values.argmax(axis=1), -1)
        weights = np.where(nodes[:, None] >= 0, NODES[nodes], weights)
        best = int(np.argmax(np.maximum(tops, values.max(axis=1))))
        place = weights[best] @ frames[best]
        triangles = triangles[[best]]
        frames = (place + size * (np.eye(3) - place))[None]
    return SurfacePoint.on(surface, int(triangles[0]), place)


def highest(values: FloatArray) -> FloatArray:
    """Barycentric coordinates of the maximum of a quadratic on a triangle, from values at NODES."""
    a, b, c, bc, ac, ab = values
    # In (s, t) = weights of the second and third corner: the linear and the quadratic part.
    linear = np.array([4 * ab - 3 * a - b, 4 * ac - 3 * a - c])
    mixed = 4 * (a + bc - ab - ac)
    hessian = np.array([[4 * (a + b - 2 * ab), mixed], [mixed, 4 * (a + c - 2 * ac)]])
    candidates = list(NODES[:3])
    if np.linalg.det(hessian) > 0 > np.trace(hessian):
        s, t = np.linalg.solve(hessian, -linear)
        candidates.append(np.array([1 - s - t, s, t]))
    for (start, end), (low, middle, high) in (
        ((0, 1), (a, ab, b)), ((0, 2), (a, ac, c)), ((1, 2), (b, bc, c)),
    ):  # fmt: skip
        bend = low - 2 * middle + high
        if bend < 0:
            r = 0.5 + (low - high) / (4 * bend)
            candidates.append((1 - r) * np.eye(3)[start] + r * np.eye(3)[end])
    inside = np.array([each for each in candidates if (each >= 0).all()])
    s, t = inside[:, 1], inside[:, 2]
    heights = a + linear @ [s, t] + 0.5 * np.einsum("in,ij,jn->n", [s, t], hessian, [s, t])
    return np.asarray(inside[np.argmax(heights)])
