# SPDX-License-Identifier: MIT
"""Sums of Gaussians over millions of points, to a stated accuracy.

    g(m) = sum_k mass_k exp(-2 |m - z_k|^2 / eps)

is smooth, so that a table of it on a regular grid answers for every m. Where the grid would be too
large, because eps is tiny, few points interact and the sum is taken directly.
"""

from gplandmark.numerics.gaussian_sums.field import Field, gaussian_sums, make_field
from gplandmark.numerics.gaussian_sums.near_points import Neighbours

__all__ = [
    "Field",
    "Neighbours",
    "gaussian_sums",
    "make_field",
]
