# SPDX-License-Identifier: MIT
"""Surfaces and their geometry: areas, edges, curvature, distances, spectra, regions.

Import the names below from here, and others from the modules; nothing changes its arguments.
"""

from gplandmark.mesh.areas import (
    barycentric_areas,
    principal_frame,
    surface_area,
    triangle_areas,
    vertex_areas,
    voronoi_areas,
)
from gplandmark.mesh.clouds import cloud_areas, intrinsic_dimension
from gplandmark.mesh.curvature import ESTIMATORS, Curvature, estimate_curvature, estimator_for
from gplandmark.mesh.edges import boundary_vertices, edge_lengths, edges, mean_edge_length
from gplandmark.mesh.geodesics import geodesic_distances
from gplandmark.mesh.laplacian import LAPLACIANS, laplacian
from gplandmark.mesh.spectrum import BOUNDARIES, Spectrum, cached_in, spectrum, weyl_count

__all__ = [
    "BOUNDARIES",
    "ESTIMATORS",
    "LAPLACIANS",
    "Curvature",
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
