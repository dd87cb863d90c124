# SPDX-License-Identifier: MIT
"""The curvature tensor of the normal cycle, smoothed at a fixed physical size."""

import numpy as np

from gplandmark.mesh.areas import proper_triangles, surface_area, triangle_normals, voronoi_areas
from gplandmark.mesh.curvature.estimate import Curvature, check_radius
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums import gaussian_sums
from gplandmark.numerics.native import loops_called

__all__ = ["RADIUS", "normal_cycle"]

RADIUS = 0.018  # of sqrt(area): measured to come as close to observers' landmarks as quadric


def normal_cycle(surface: Surface, radius: float = RADIUS) -> Curvature:
    """Curvature from the tensor of Cohen-Steiner and Morvan, which the paper cites.

        T(x) = sum_v phi(x - v) T_v / sum_v phi(x - v) nu(v),
        T_v = 1/2 sum over edges e at v of beta_e |e| e e^T

    with the unit direction e, length |e| and signed dihedral angle beta_e of an edge (Alliez et
    al. 2003); phi is a Gaussian window of width `radius` sqrt(area) in place of their ball. The
    eigenvalue smallest in magnitude belongs to the normal; the other two are the principal
    curvatures. Edges of the rim have no dihedral angle, and the division by the area within the
    window makes up for the missing side.

    Its cost per vertex does not grow as the mesh is refined.

    Parameters
    ----------
    radius : width of the window as a fraction of sqrt(area), 0.005 to 0.05
    """
    check_radius(radius)
    width = radius * np.sqrt(surface_area(surface))
    points = surface.points - surface.points.mean(axis=0)
    tensors = _vertex_tensors(points, proper_triangles(surface))
    values = np.column_stack([tensors, voronoi_areas(surface)])
    sums = gaussian_sums(points, values, width)
    area = np.where(sums[:, 6] > 0, sums[:, 6], 1.0)
    smoothed = np.where(surface.covered()[:, None], sums[:, :6] / area[:, None], 0.0)
    return _principal(smoothed)


def _vertex_tensors(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """T_v at every vertex, as the six entries of a symmetric matrix, shape (n, 6)."""
    one, two = _hinges(triangles, len(points))
    normals = triangle_normals(points, triangles)
    tensors = np.zeros((len(points), 6))
    loops_called().hinges(points, triangles, normals, one, two, tensors)
    return tensors


def _hinges(triangles: IndexArray, vertex_count: int) -> tuple[IndexArray, IndexArray]:
    """Pairs of half-edges, 3 * triangle + corner, whose edge lies in exactly two triangles."""
    one, two = np.empty((2, 3 * len(triangles) // 2), dtype=np.int64)
    found = loops_called().pairs(triangles, vertex_count, one, two)
    return one[:found], two[:found]


def _principal(tensors: FloatArray) -> Curvature:
    values = np.zeros((len(tensors), 2))
    loops_called().principal(tensors, values)
    return Curvature(values[:, 0].copy(), values[:, 1].copy())
