# SPDX-License-Identifier: MIT
"""Sums of Gaussians over millions of points, to a stated accuracy.

    g(m) = sum_k mass_k exp(-2 |m - z_k|^2 / eps)

is smooth, so that a table of it on a regular grid answers for every m. Where the grid would be too
large, because eps is tiny, few points interact and the sum is taken directly. The hot loops are
compiled when the package is installed, and in NumPy where there was no compiler.
"""

from gplandmark.gaussians.field import Field, grid_bytes, make_field
from gplandmark.gaussians.loops import COMPILED, loops_called
from gplandmark.gaussians.neighbours import Neighbours

__all__ = ["COMPILED", "Field", "Neighbours", "grid_bytes", "loops_called", "make_field"]
