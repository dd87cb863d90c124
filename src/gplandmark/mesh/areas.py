# SPDX-License-Identifier: MIT
"""Areas of triangles and vertices, nu(x) of the paper; centre and principal axes of the area."""

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.mesh.clouds import cloud_areas
from gplandmark.mesh.surface import Surface, cached_per_surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops


def triangle_normals(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """Normal of each triangle, as long as twice its area, shape (m, 3)."""
    normals = np.zeros((len(triangles), 3))
    choose_loops().normals(points, triangles, normals)
    return normals


def vertex_normals(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """Unit normals (n, 3) of vertices: of the triangles around each, weighted by area."""
    flat = np.repeat(triangle_normals(points, triangles), 3, axis=0)
    corners, count = triangles.ravel(), len(points)
    normals = np.column_stack([np.bincount(corners, each, count) for each in flat.T])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(lengths > 0, lengths, 1.0))


@cached_per_surface
def triangle_areas(surface: Surface) -> FloatArray:
    """Area of each triangle, shape (m,), in squared units of the file."""
    normals = triangle_normals(surface.points, surface.faces())
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", normals, normals)) / 2)


def surface_area(surface: Surface) -> float:
    """Area of a surface, in squared units of the file; for a cloud without triangles an estimate.

    Raises
    ------
    ScanError
        Every triangle is degenerate.
    """
    if surface.triangles is None:
        return float(cloud_areas(surface).sum())
    area = float(triangle_areas(surface).sum())
    if not area > 0:
        raise ScanError(
            f"{surface.name} has no area: all its triangles are degenerate. Export the scan again."
        )
    return area


def proper_triangles(surface: Surface) -> IndexArray:
    """Return the triangles that have an area; the others have no well-defined angles."""
    proper = triangle_areas(surface) > 0
    return surface.faces() if proper.all() else surface.faces()[proper]


def vertex_areas(surface: Surface) -> FloatArray:
    """Area that belongs to each vertex, shape (n,): of its triangles, or of a point of a cloud."""
    return cloud_areas(surface) if surface.triangles is None else voronoi_areas(surface)


@cached_per_surface
def voronoi_areas(surface: Surface) -> FloatArray:
    """Area of the mixed Voronoi cell of each vertex, shape (n,); the sum is the surface area.

    This is nu of equation (weight-function-discrete) and of step 3 of Algorithm 1. In an
    obtuse triangle the Voronoi cell leaves the triangle, and the halves and quarters of
    Meyer et al. are used instead.
    """
    areas = np.zeros(surface.vertex_count)
    choose_loops().voronoi_areas(surface.points, surface.faces(), areas)
    return areas


def barycentric_areas(surface: Surface) -> FloatArray:
    """Return a third of the area of the triangles around each vertex, shape (n,)."""
    thirds = np.repeat(triangle_areas(surface) / 3, 3)
    return np.bincount(surface.faces().ravel(), thirds, surface.vertex_count).astype(np.float64)


def principal_frame(surface: Surface) -> tuple[FloatArray, FloatArray]:
    """Centre of the area (d,) and its principal axes, the rows of (d, d), the longest first.

    The eigenvectors of sum nu(x) (x - c)(x - c)^T. Each is known up to its sign only; where two
    spreads are equal, so is any axis between them.
    """
    areas = vertex_areas(surface)
    # The mean first: differences of large coordinates would lose digits in the products.
    centred = surface.points - surface.points.mean(axis=0)
    offset = areas @ centred / areas.sum()
    centred = centred - offset
    _, axes = np.linalg.eigh(centred.T @ (areas[:, None] * centred))
    return surface.points.mean(axis=0) + offset, np.ascontiguousarray(axes.T[::-1])
