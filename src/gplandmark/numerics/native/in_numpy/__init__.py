# SPDX-License-Identifier: MIT
# ruff: noqa: F401 -- the loops are looked up by their names
"""The loops of ``_compiled.c`` in NumPy: the same arguments, the same results to rounding."""

from gplandmark.numerics.native.in_numpy.gaussian_loops import (
    chebyshev_series,
    convolve,
    downdate,
    entries,
    interpolate,
    neighbour_sums,
    pair_sums,
    spread,
    subtract_squares,
    tensor_entries,
)
from gplandmark.numerics.native.in_numpy.surface_loops import (
    components,
    count_defects,
    double_areas,
    edge_pairs,
    edge_tensors,
    normals,
    principal_curvatures,
    rim_vertices,
    voronoi_areas,
)
from gplandmark.numerics.native.in_numpy.viewing_loops import (
    block_rays,
    interpolate_corners,
    rasterize,
)
