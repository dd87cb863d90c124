# SPDX-License-Identifier: MIT
"""A specimen as a few points: even over its area, with normals and the local form, unit area.

Coordinates here are (x - c) / sqrt(area) with c the centre of the area, so that nothing depends on
unit or place. Results go back through `Sampled.in_file`.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.geometry import surface_area, vertex_areas
from gplandmark.geometry.areas import proper_triangles, triangle_normals
from gplandmark.matching.threads import single_threaded
from gplandmark.surface import Surface

__all__ = ["LEVELS", "Levels", "Points", "Sampled", "prepare"]

LEVELS = (150, 250, 1000, 2000)  # points to try poses, to bend roughly, to bend finely, to compare
RADII = (0.1, 0.2)  # of the neighbourhoods whose form is described, as shares of sqrt(area)
FEWEST, CELL = 4000, 0.007  # a mesh is split up to so many vertices, and thinned to such cells
NORMAL = 0.15  # length of a unit normal beside positions: opposite sides of a bone are 0.3 apart


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a surface of unit area.

    Attributes
    ----------
    positions : (m, 3)
    normals : (m, 3) unit normals, outwards
    form : (m, k) height of the surface over its surroundings, at k sizes
    weights : (m,) share of the area that each stands for
    """

    positions: FloatArray
    normals: FloatArray
    form: FloatArray
    weights: FloatArray

    def part(self, start: int, stop: int) -> "Points":
        """Some of the points, in their order."""
        chosen = slice(start, stop)
        return Points(
            self.positions[chosen], self.normals[chosen], self.form[chosen], self.weights[chosen]
        )

    def features(self, positions: FloatArray, normals: FloatArray) -> FloatArray:
        """What points are compared by, (..., m, 6 + k), with positions and normals that moved."""
        form = np.broadcast_to(self.form, (*positions.shape[:-1], self.form.shape[1]))
        return np.concatenate([positions, NORMAL * normals, form], axis=-1)


Levels: TypeAlias = tuple[Points, ...]


@dataclass(frozen=True, eq=False)
class Sampled:
    """A surface and its points at several levels, in coordinates of unit area.

    Attributes
    ----------
    surface : as given
    centre : (3,) of its area, in units of the file
    size : sqrt(area), in units of the file
    levels : one `Points` for each of `LEVELS`
    """

    surface: Surface
    centre: FloatArray
    size: float
    levels: Levels

    @property
    def name(self) -> str:
        """The specimen's name."""
        return self.surface.name

    def in_unit(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) of the file in coordinates of unit area."""
        return np.asarray((points - self.centre) / self.size)

    def in_file(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) of unit area in coordinates of the file."""
        return np.asarray(points * self.size + self.centre)


@single_threaded
def prepare(surface: Surface) -> Sampled:
    """Sample a surface evenly, the same way whatever its pose, unit and mesh.

    Raises
    ------
    ScanError
        The surface has no triangles, or no area.
    """
    size = float(np.sqrt(surface_area(surface)))
    areas = vertex_areas(surface)
    middle = surface.points.mean(axis=0)  # first, so that large coordinates keep their digits
    centre = middle + areas @ (surface.points - middle) / areas.sum()
    dense = _dense(surface, (surface.points - centre) / size)
    finest = _finest(*_thinned(*dense))
    coarser = [_coarser(finest, count) for count in LEVELS[:-1]]
    return Sampled(surface, centre, size, (*coarser, finest))


def _dense(surface: Surface, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vertices, their outward normals and areas; of a coarse mesh after splitting its triangles."""
    import igl

    triangles = proper_triangles(surface)
    while len(points) < FEWEST:
        points, triangles = igl.upsample(points, triangles)
    split = Surface(points, triangles)
    areas = vertex_areas(split)
    sides = np.repeat(triangle_normals(split.points, split.faces()), 3, axis=0)
    corners = split.faces().ravel()
    normals = np.column_stack([_total(corners, sides[:, axis], len(points)) for axis in range(3)])
    normals = _unit(normals)
    # The winding of an open surface says nothing: outwards is away from the centre, on the whole.
    outwards = np.sign(areas @ np.einsum("ij,ij->i", split.points, normals)) or 1.0
    covered = areas > 0
    return split.points[covered], outwards * normals[covered], areas[covered] / areas.sum()


def _thinned(
    points: FloatArray, normals: FloatArray, areas: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """One point for each small cell; the two sides of a thin bone are kept apart by their normals.

    Cells lie along the principal axes, so that they turn with the specimen.
    """
    axes = np.linalg.eigh(points.T @ (areas[:, None] * points))[1]
    cells = np.floor(points @ axes / CELL).astype(np.int64)
    sides = (normals @ axes > 0) @ np.array([1, 2, 4])
    _, group = np.unique(np.column_stack([cells, sides]), axis=0, return_inverse=True)
    group = group.ravel()
    total = _total(group, areas)
    return (
        _sums(group, points * areas[:, None]) / total[:, None],
        _unit(_sums(group, normals * areas[:, None])),
        total,
    )


def _finest(points: FloatArray, normals: FloatArray, areas: FloatArray) -> Points:
    chosen = _farthest(points, min(LEVELS[-1], len(points)))
    cell = cKDTree(points[chosen]).query(points)[1]
    weights = _total(cell, areas, len(chosen))
    positions = points[chosen]
    sides = _unit(_sums(cell, normals * areas[:, None]))
    return Points(positions, sides, _form(positions, sides, weights), weights)


def _coarser(finest: Points, count: int) -> Points:
    """The first points, each the mean of what lies nearest to it."""
    cell = cKDTree(finest.positions[:count]).query(finest.positions)[1]
    weights = _total(cell, finest.weights)
    share = finest.weights[:, None]
    return Points(
        _sums(cell, finest.positions * share) / weights[:, None],
        _unit(_sums(cell, finest.normals * share)),
        _sums(cell, finest.form * share) / weights[:, None],
        weights,
    )


def _form(positions: FloatArray, normals: FloatArray, weights: FloatArray) -> FloatArray:
    """Height over the surroundings, <x - c_r(x), n(x)> / r for each radius r, shape (m, k).

    c_r is the mean of the surface around x, with weights exp(-4 d^2 / r^2) up to d = r. To first
    order it is the mean curvature times r; unlike it, it needs no derivatives.
    """
    count = len(positions)
    pairs = cKDTree(positions).query_pairs(max(RADII), output_type="ndarray")
    distances = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    heights = []
    for radius in RADII:
        near = distances <= radius
        one, two = pairs[near].T
        window = np.exp(-4 * (distances[near] / radius) ** 2)
        around = csr_matrix((window, (one, two)), shape=(count, count))
        share = weights[:, None]
        mass = weights + around @ weights + around.T @ weights
        moment = share * positions + around @ (share * positions) + around.T @ (share * positions)
        centres = moment / mass[:, None]
        heights.append(np.einsum("ij,ij->i", positions - centres, normals) / radius)
    return np.column_stack(heights)


def _farthest(points: FloatArray, count: int) -> IndexArray:
    """Spread points: the farthest from the centre, then always the farthest from those chosen."""
    picks = np.zeros(count, dtype=np.int64)
    picks[0] = np.argmax(np.einsum("ij,ij->i", points, points))
    left = np.full(len(points), np.inf)
    columns = np.ascontiguousarray(points.T)
    for k in range(1, count):
        offsets = columns - columns[:, picks[k - 1], None]
        np.minimum(left, np.einsum("ij,ij->j", offsets, offsets), out=left)
        picks[k] = np.argmax(left)
    return picks


def _sums(group: IndexArray, values: FloatArray) -> FloatArray:
    """Sum of the rows of each group."""
    return np.column_stack([_total(group, column) for column in values.T])


def _total(group: IndexArray, values: FloatArray, count: int = 0) -> FloatArray:
    return np.bincount(group, values, count).astype(np.float64)


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
