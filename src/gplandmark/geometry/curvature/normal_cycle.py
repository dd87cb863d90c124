# SPDX-License-Identifier: MIT
"""The curvature tensor of the normal cycle, smoothed at a fixed physical size."""

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.geometry.areas import proper_triangles, surface_area, voronoi_areas
from gplandmark.geometry.curvature.pair import Curvature, check_radius
from gplandmark.surface import Surface

__all__ = ["normal_cycle"]

REACH = 4.0  # the Gaussian window is cut where it has fallen to 3e-4


def normal_cycle(surface: Surface, radius: float = 0.02) -> Curvature:
    """Curvature from the tensor of Cohen-Steiner and Morvan, which the paper cites.

        T(x) = sum_e phi(x - m_e) beta_e |e| e e^T / sum_k phi(x - x_k) nu(x_k)

    over edges e with midpoint m_e, unit direction e, length |e| and signed dihedral angle
    beta_e (Alliez et al. 2003); phi is a Gaussian window of width `radius` sqrt(area) in
    place of their ball. The eigenvalue smallest in magnitude belongs to the normal; the
    other two are the principal curvatures. Edges of the rim have no dihedral angle, and the
    division by the area within the window makes up for the missing side.

    Parameters
    ----------
    radius : width of the window as a fraction of sqrt(area), 0.005 to 0.05
    """
    check_radius(radius)
    width = radius * np.sqrt(surface_area(surface))
    points = surface.points - surface.points.mean(axis=0)
    midpoints, tensors = _edge_tensors(surface, points)
    on_edges = _window(points, midpoints, width) @ tensors
    on_vertices = _window(points, points, width) @ voronoi_areas(surface)
    area = np.where(on_vertices > 0, on_vertices, 1.0)
    return _principal(on_edges / area[:, None])


def _edge_tensors(surface: Surface, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Midpoints (e, 3) and beta |e| e e^T as rows of nine, for edges between two triangles."""
    triangles = proper_triangles(surface)
    ends, left, right, opposite = _hinges(triangles, surface.vertex_count)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    along = points[ends[:, 1]] - points[ends[:, 0]]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    sine = np.linalg.norm(np.cross(normals[left], normals[right]), axis=1)
    cosine = np.einsum("ij,ij->i", normals[left], normals[right])
    # Convex where the far corner of the right triangle lies below the left triangle.
    depth = np.einsum("ij,ij->i", points[opposite] - points[ends[:, 0]], normals[left])
    angle = np.copysign(np.arctan2(sine, cosine), -depth)
    tensors = (angle / length[:, 0])[:, None] * np.einsum("ni,nj->nij", along, along).reshape(-1, 9)
    return (points[ends[:, 0]] + points[ends[:, 1]]) / 2, tensors


def _hinges(
    triangles: IndexArray, vertex_count: int
) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
    """Edges shared by exactly two triangles: ends, both triangles, far corner of the second."""
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    corner = triangles[:, [2, 0, 1]].reshape(-1)
    code = sides.min(axis=1) * vertex_count + sides.max(axis=1)
    order = np.argsort(code, kind="stable")
    _, first, count = np.unique(code[order], return_index=True, return_counts=True)
    first = first[count == 2]
    one, two = order[first], order[first + 1]
    return sides[one], one // 3, two // 3, corner[two]


def _window(targets: FloatArray, sources: FloatArray, width: float) -> sparse.csr_array:
    """Sparse matrix of phi(x - y) = exp(-|x - y|^2 / (2 width^2)) within its reach."""
    pairs = cKDTree(targets).sparse_distance_matrix(
        cKDTree(sources), REACH * width, output_type="coo_matrix"
    )
    values = np.exp(-(pairs.data**2) / (2 * width**2))
    return sparse.csr_array((values, (pairs.row, pairs.col)), shape=pairs.shape)


def _principal(tensors: FloatArray) -> Curvature:
    values = np.linalg.eigvalsh(tensors.reshape(-1, 3, 3))
    order = np.argsort(np.abs(values), axis=1)
    principal = np.take_along_axis(values, order[:, 1:], axis=1)
    return Curvature(principal.prod(axis=1), principal.mean(axis=1))
