# SPDX-License-Identifier: MIT
"""Even sampling of the outer surface of a specimen, with normals and the local form."""

import numpy as np
import scipy

from gplandmark.mesh import surface_area, vertex_areas
from gplandmark.mesh.areas import proper_triangles, triangle_normals
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.neighbours import pick_farthest
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.visibility import visible_from_outside
from gplandmark.morphometrics.matching.points import LEVELS, OrientedPoints, SampledSurface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import single_threaded

SPREAD = 3.0  # size over root mean square distance: near sqrt(area) for teeth and solid bones
DIRECTIONS = 32  # from which the outer surface is seen
RADII = (0.1, 0.2)  # of the neighbourhoods whose form is described, in units of size
FEWEST, MOST = 4000, 100_000  # vertices to which a mesh is subdivided or decimated
CELL = 0.007  # in units of size: vertices in one cell that face the same way are merged


@single_threaded
def sample_surface(surface: Surface, length: float | None = None) -> SampledSurface:
    """Sample the outer surface evenly, independently of its pose, unit and mesh.

    The size is measured, unless it is given as a `length` in file units: a fragment has the size of
    the whole specimen that it belonged to.

    Raises
    ------
    ScanError
        The surface has no triangles, or no area.
    """
    import igl

    instance(surface, Surface, "Use gplandmark.read first.")
    root_area = float(np.sqrt(surface_area(surface)))
    vertices, triangles = coarse_mesh(surface, MOST)
    middle = surface.points[vertices].mean(axis=0)  # first: large coordinates keep their digits
    mesh = Surface((surface.points[vertices] - middle) / root_area, triangles)
    while len(mesh.points) < FEWEST:
        mesh = Surface(*igl.upsample(mesh.points, proper_triangles(mesh)))  # each into four
    points, normals, areas = vertices_with_normals(mesh)
    seen = visible_from_outside(mesh, DIRECTIONS) & (areas > 0)
    points, normals, areas = points[seen], normals[seen], areas[seen] / areas[seen].sum()
    centre = areas @ points
    size = SPREAD * float(np.sqrt(areas @ ((points - centre) ** 2).sum(axis=1)))
    size = size if length is None else length / root_area
    finest = _finest(*_thinned((points - centre) / size, normals, areas))
    coarser = [_coarser(finest, count) for count in LEVELS[:-1]]
    return SampledSurface(
        surface, middle + root_area * centre, size * root_area, root_area, (*coarser, finest)
    )


def vertices_with_normals(surface: Surface) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vertices (n, 3), their outward unit normals (n, 3) and their areas (n,).

    Outwards is away from the centre on average, because open surfaces may have any orientation.
    """
    areas = vertex_areas(surface)
    sides = np.repeat(triangle_normals(surface.points, surface.faces()), 3, axis=0)
    corners = surface.faces().ravel()
    count = surface.vertex_count
    normals = _unit(np.column_stack([_total(corners, side, count) for side in sides.T]))
    offsets = surface.points - areas @ surface.points / areas.sum()
    outwards = np.sign(areas @ np.einsum("ij,ij->i", offsets, normals)) or 1.0
    return surface.points, outwards * normals, areas


def _thinned(
    points: FloatArray, normals: FloatArray, areas: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Merge points in small cells; normals separate the two sides of a thin bone.

    Cells are aligned with the principal axes, so that they rotate with the specimen.
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


def _finest(points: FloatArray, normals: FloatArray, areas: FloatArray) -> OrientedPoints:
    chosen = _farthest(points, min(LEVELS[-1], len(points)))
    cell = scipy.spatial.cKDTree(points[chosen]).query(points)[1]
    weights = _total(cell, areas, len(chosen))
    positions = points[chosen]
    sides = _unit(_sums(cell, normals * areas[:, None]))
    return OrientedPoints(positions, sides, local_form(positions, sides, weights), weights)


def _coarser(finest: OrientedPoints, count: int) -> OrientedPoints:
    """The first points, each replaced by the mean of those nearest to it."""
    cell = scipy.spatial.cKDTree(finest.positions[:count]).query(finest.positions)[1]
    weights = _total(cell, finest.weights)
    area = finest.weights[:, None]
    return OrientedPoints(
        _sums(cell, finest.positions * area) / weights[:, None],
        _unit(_sums(cell, finest.normals * area)),
        _sums(cell, finest.form * area) / weights[:, None],
        weights,
    )


def local_form(positions: FloatArray, normals: FloatArray, weights: FloatArray) -> FloatArray:
    """Local form: height over the surroundings <x - c_r(x), n(x)> / r for each radius r, (m, k).

    c_r is the mean of the surface around x, with weights exp(-4 d^2 / r^2) up to d = r. To first
    order the height is proportional to the mean curvature times r, but needs no derivatives.
    """
    count = len(positions)
    pairs = scipy.spatial.cKDTree(positions).query_pairs(max(RADII), output_type="ndarray")
    squares = ((positions[pairs[:, 0]] - positions[pairs[:, 1]]) ** 2).sum(axis=1)
    moments = weights[:, None] * np.column_stack([np.ones(count), positions])
    heights = []
    for radius in RADII:
        near = squares <= radius**2
        window = np.exp(-4 / radius**2 * squares[near])
        around = scipy.sparse.coo_matrix((window, pairs[near].T), shape=(count, count))
        sums = moments + around @ moments + around.T @ moments
        centres = sums[:, 1:] / sums[:, :1]
        heights.append(np.einsum("ij,ij->i", positions - centres, normals) / radius)
    return np.column_stack(heights)


def _farthest(points: FloatArray, count: int) -> IndexArray:
    """Farthest point sampling, from the point farthest from the centre."""
    columns = np.ascontiguousarray(points.T)

    def squares(pick: int) -> FloatArray:
        offsets = columns - columns[:, pick, None]
        return np.asarray(np.einsum("ij,ij->j", offsets, offsets))

    first = int(np.argmax(np.einsum("ij,ij->i", points, points)))
    return pick_farthest(squares, first, count)[0]


def _sums(group: IndexArray, values: FloatArray) -> FloatArray:
    """Sum of the rows of each group."""
    return np.column_stack([_total(group, column) for column in values.T])


def _total(group: IndexArray, values: FloatArray, count: int = 0) -> FloatArray:
    return np.bincount(group, values, count).astype(np.float64)


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
