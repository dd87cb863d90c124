# SPDX-License-Identifier: MIT
"""Angle defect and cotangent operator: the pointwise estimators of discrete geometry."""

import numpy as np

from gplandmark.mesh.areas import proper_triangles, voronoi_areas
from gplandmark.mesh.curvature.estimate import Curvature, from_neighbours
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.topology import boundary_vertices
from gplandmark.numerics.arrays import FloatArray

__all__ = ["angle_defect", "angle_defects"]


def angle_defects(surface: Surface) -> FloatArray:
    """Integrated Gaussian curvature of each vertex, shape (n,), in radians.

    2 pi minus the sum of the angles at the vertex; pi minus it on the rim, where it is the
    turning of the rim. By Gauss-Bonnet the sum over a surface is 2 pi times its Euler
    characteristic.
    """
    import igl

    triangles = proper_triangles(surface)
    angles = igl.internal_angles(surface.points, triangles)
    total = np.bincount(triangles.ravel(), angles.ravel(), surface.vertex_count)
    full = np.where(boundary_vertices(surface), np.pi, 2 * np.pi)
    return np.where(surface.covered(), full - total, 0.0)


def angle_defect(surface: Surface) -> Curvature:
    """Curvature from angle defects and the cotangent operator.

        kappa(x) = (2 pi - sum of angles at x) / nu(x)
        eta(x) = |sum over neighbours y of (cot a + cot b) (x - y)| / (4 nu(x))

    with nu the mixed Voronoi area and a, b the angles opposite the edge xy. Both are exact
    for their integrals and noisy at single vertices of a scan. Vertices on the rim take the
    mean of their neighbours in the interior.
    """
    import igl

    areas = voronoi_areas(surface)
    flat = ~(areas > 0)
    safe = np.where(flat, 1.0, areas)
    triangles = proper_triangles(surface)
    laplacian = igl.cotmatrix(surface.points, triangles)
    centred = surface.points - surface.points.mean(axis=0)  # far offsets cost digits
    twice_mean_normal = -(laplacian @ centred) / safe[:, None]
    normals = igl.per_vertex_normals(surface.points, triangles)
    outward = np.einsum("ij,ij->i", twice_mean_normal, np.nan_to_num(normals))
    mean = np.copysign(np.linalg.norm(twice_mean_normal, axis=1) / 2, outward)
    gaussian = angle_defects(surface) / safe
    unknown = boundary_vertices(surface) | flat
    return Curvature(
        from_neighbours(surface, gaussian, unknown), from_neighbours(surface, mean, unknown)
    )
