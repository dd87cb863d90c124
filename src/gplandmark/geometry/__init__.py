# SPDX-License-Identifier: MIT
"""Geometry of a surface: areas, edges and curvature. Arrays out, nothing changed."""

from gplandmark.geometry.areas import (
    barycentric_areas,
    surface_area,
    triangle_areas,
    vertex_areas,
    voronoi_areas,
)
from gplandmark.geometry.clouds import cloud_areas, intrinsic_dimension
from gplandmark.geometry.curvature import ESTIMATORS, Curvature, estimate_curvature, estimator_for
from gplandmark.geometry.edges import boundary_vertices, edge_lengths, edges, mean_edge_length
from gplandmark.geometry.frame import principal_frame

__all__ = [
    "ESTIMATORS",
    "Curvature",
    "barycentric_areas",
    "boundary_vertices",
    "cloud_areas",
    "edge_lengths",
    "edges",
    "estimate_curvature",
    "estimator_for",
    "intrinsic_dimension",
    "mean_edge_length",
    "principal_frame",
    "surface_area",
    "triangle_areas",
    "vertex_areas",
    "voronoi_areas",
]
