# SPDX-License-Identifier: MIT
"""Thin-plate splines: the smoothest map of space that brings some points onto others."""

import numpy as np

from gplandmark.analysis.rotations import carried
from gplandmark.arrays import FloatArray

__all__ = ["warped"]

FLAT = 0.01  # thickness over length of the sources: thinner, and the bending across is a guess


def warped(
    points: FloatArray, sources: FloatArray, targets: FloatArray, *, reflect: bool = False
) -> FloatArray:
    """Points (n, 3) under the thin-plate spline from sources (k, 3) to targets (k, 3).

    In space the spline of least bending energy is f(x) = a + A x + sum_i w_i |x - x_i|, with
    f(x_i) = y_i and sum_i w_i = 0, sum_i w_i x_i = 0 (Bookstein 1989). Sources in a plane do not
    tell A across it: where there are fewer than four, or where they are flatter than 1 % of
    their length, the best similarity is taken instead.
    """
    from scipy.interpolate import RBFInterpolator

    middle = sources.mean(axis=0)
    size = float(np.linalg.norm(sources - middle))
    spreads = np.linalg.svd(sources - middle, compute_uv=False)
    if len(sources) < 4 or spreads[2] < FLAT * spreads[0]:
        return carried(points, sources, targets, reflect=reflect)
    spline = RBFInterpolator((sources - middle) / size, targets, kernel="linear", degree=1)
    return np.asarray(spline((points - middle) / size))
