# SPDX-License-Identifier: MIT
"""Geometry of a surface: areas, edges and curvature. Arrays out, nothing changed."""

from gplandmark.geometry.areas import (
    barycentric_areas,
    surface_area,
    triangle_areas,
    vertex_areas,
    voronoi_areas,
)
from gplandmark.geometry.cache import cached_in
from gplandmark.geometry.clouds import cloud_areas, intrinsic_dimension
from gplandmark.geometry.curvature import ESTIMATORS, Curvature, estimate_curvature, estimator_for
from gplandmark.geometry.edges import boundary_vertices, edge_lengths, edges, mean_edge_length
from gplandmark.geometry.frame import principal_frame
from gplandmark.geometry.geodesics import geodesic_distances
from gplandmark.geometry.laplacian import LAPLACIANS, Laplacian, laplacian
from gplandmark.geometry.spectrum import BOUNDARIES, Spectrum, spectrum, weyl_count

__all__ = [
    "BOUNDARIES",
    "ESTIMATORS",
    "LAPLACIANS",
    "Curvature",
    "Laplacian",
    "Spectrum",
    "barycentric_areas",
    "boundary_vertices",
    "cached_in",
    "cloud_areas",
    "edge_lengths",
    "edges",
    "estimate_curvature",
    "estimator_for",
    "geodesic_distances",
    "intrinsic_dimension",
    "laplacian",
    "mean_edge_length",
    "principal_frame",
    "spectrum",
    "surface_area",
    "triangle_areas",
    "vertex_areas",
    "voronoi_areas",
    "weyl_count",
]
