# SPDX-License-Identifier: MIT
"""Comparisons: how well landmarks describe a surface, and how many are enough."""

from gplandmark.comparison.conditioning import Conditioned, condition_greedily, condition_on
from gplandmark.comparison.curve import Curve, suggested_counts, variance_curve
from gplandmark.comparison.standing import Standing, compare, comparison_table
from gplandmark.comparison.study import Study, scans_in, study_scans
from gplandmark.comparison.surface_vertices import vertices_on

__all__ = [
    "Conditioned",
    "Curve",
    "Standing",
    "Study",
    "compare",
    "comparison_table",
    "condition_greedily",
    "condition_on",
    "scans_in",
    "study_scans",
    "suggested_counts",
    "variance_curve",
    "vertices_on",
]
