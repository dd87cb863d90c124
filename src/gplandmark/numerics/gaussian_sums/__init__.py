# SPDX-License-Identifier: MIT
"""Sums of Gaussians over millions of points, to a stated accuracy.

    g(m) = sum_k mass_k exp(-2 |m - z_k|^2 / eps)

is smooth, so that a table on a regular grid gives it for every m. If the grid would be too large,
because eps is tiny, few points interact and the sum is computed directly.
"""

from gplandmark.numerics.gaussian_sums.field import Field, gaussian_sums, make_field
from gplandmark.numerics.gaussian_sums.near_points import Neighbours

__all__ = ["Field", "Neighbours", "gaussian_sums", "make_field"]
