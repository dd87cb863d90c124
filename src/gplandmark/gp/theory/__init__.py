# SPDX-License-Identifier: MIT
"""Section 4 of the paper as measurements: how good a set of landmarks is, and could be.

>>> import gplandmark
>>> from gplandmark.gp import theory
>>> from gplandmark.mesh import vertex_areas
>>> surface = gplandmark.make_molar().surface
>>> kernel, areas = gplandmark.covariance(surface), vertex_areas(surface)
>>> landmarks = surface.vertices_of(gplandmark.place(surface, 40).vertices)
>>> history = theory.variance_history(kernel, landmarks, areas)
>>> oracle = theory.oracle_bounds(kernel, 40, areas, rank=120)
>>> ratio = (history.largest / oracle.lower) ** 0.5  # to the least distance of any 40 functions
>>> bool(1 < ratio[40] < 3)
True
"""

from gplandmark.gp.theory.convergence import (
    comparison,
    fill_power_bound,
    fit_decay,
    halving,
    product_theorem,
)
from gplandmark.gp.theory.fill_distance import farthest_points, fill_distance, packing_bound
from gplandmark.gp.theory.widths import (
    feature_map,
    inner_product,
    oracle_bounds,
    power_function,
    projection_coefficients,
    variance_history,
)

__all__ = [
    "comparison",
    "farthest_points",
    "feature_map",
    "fill_distance",
    "fill_power_bound",
    "fit_decay",
    "halving",
    "inner_product",
    "oracle_bounds",
    "packing_bound",
    "power_function",
    "product_theorem",
    "projection_coefficients",
    "variance_history",
]
