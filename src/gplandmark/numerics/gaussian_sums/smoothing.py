# SPDX-License-Identifier: MIT
"""Gaussian smoothing of values on points, in time linear in the points."""

from itertools import chain

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.field import field_maker
from gplandmark.numerics.native import loops_called

__all__ = ["gaussian_sums"]

TOLERANCE = 1e-5
RATIO = 0.2  # grid step / sqrt(eps): a coarse grid suffices for this tolerance


def gaussian_sums(points: FloatArray, values: FloatArray, width: float) -> FloatArray:
    """Sums s(x_i) = sum_k values_k exp(-|x_i - x_k|^2 / (2 width^2)), shape (n, c).

    Parameters
    ----------
    points : (n, 3)
    values : (n, c) of either sign; each column is summed to 1e-5 of what the sum of its
        absolute values could be
    width : standard deviation of the Gaussian, in units of the points
    """
    order = _neighbours_together(points, 2 * width)
    points, values = points[order], values[order].T.copy()
    make = field_maker(points, 4 * width**2, TOLERANCE, loops_called(), ratio=RATIO)
    fields = (make(column) for column in values)  # one at a time: each has a grid of its own
    first = next(fields)
    units = first.units(points)
    sums = np.zeros((len(points), len(values)))
    for channel, field in enumerate(chain([first], fields)):
        sums[order, channel] = field.at(units)
    return sums


def _neighbours_together(points: FloatArray, side: float) -> IndexArray:
    """Order of the points cube by cube, so that those next to each other share memory."""
    x, y, z = ((column - column.min()) // side for column in points.T)
    cube = (x * (y.max() + 1) + y) * (z.max() + 1) + z
    return np.argsort(cube.astype(np.int64), kind="stable")
