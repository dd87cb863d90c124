# SPDX-License-Identifier: MIT
"""Sums of Gaussians at the points that they come from, for several values at each."""

from collections.abc import Callable
from itertools import chain

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.field import (
    Field,
    check_bandwidth,
    prepare_field,
    without_gaps,
)
from gplandmark.numerics.gaussian_sums.grid import extent_of, grid_size
from gplandmark.numerics.gaussian_sums.near_points import Neighbours, near_field
from gplandmark.numerics.native import choose_loops
from gplandmark.numerics.threads import chunks, run_threaded

TOLERANCE = 1e-5
RATIO = 0.2  # grid step / sqrt(eps): a coarse grid suffices for this tolerance
PAIRS = 2.0  # of points, that take less time than a node of the grid


def gaussian_sums(points: FloatArray, values: FloatArray, width: float) -> FloatArray:
    """Sums s(x_i) = sum_k values_k exp(-|x_i - x_k|^2 / (2 width^2)), shape (n, c).

    Parameters
    ----------
    points : (n, 3)
    values : (n, c) of either sign; each column is summed to 1e-5 of what the sum of its
        absolute values could be
    width : standard deviation of the Gaussian, in units of the points
    """
    order = _order_by_cube(points, 2 * width)
    points, channels = points.take(order, axis=0), _rows_as_columns(values, order)
    make = _prepare_sums(points, 4 * width**2)
    fields = (make(column) for column in channels)  # one at a time: each has a grid of its own
    first = next(fields)
    units = first.units(points)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    for channel, field in enumerate(chain([first], fields)):
        channels[channel] = field.at(units).take(back)
    return np.asarray(channels.T)


def _prepare_sums(points: FloatArray, eps: float) -> Callable[[FloatArray], Field | Neighbours]:
    """Prepare a field: of a small mesh, whose grid would be nearly empty, by sums."""
    check_bandwidth(points, eps)
    loops = choose_loops()
    if len(points) ** 2 > PAIRS * grid_size(extent_of(points), eps, RATIO):
        return prepare_field(points, eps, TOLERANCE, loops, ratio=RATIO)
    shortened = without_gaps(points, eps, TOLERANCE)
    return lambda masses: near_field(points, masses, eps, TOLERANCE, shortened, loops)


def _rows_as_columns(values: FloatArray, order: IndexArray) -> FloatArray:
    """Rows of values (n, c) in some order, as the columns of an array (c, n)."""
    columns = np.empty(values.shape[::-1])

    def fill(piece: slice) -> None:
        columns[:, piece] = values.take(order[piece], axis=0).T

    run_threaded(fill, chunks(len(order), 16384))
    return columns


def _order_by_cube(points: FloatArray, side: float) -> IndexArray:
    """Order of the points cube by cube, so that neighbours are close in memory."""
    x, y, z = ((column - column.min()) // side for column in points.T)
    cube = (x * (y.max() + 1) + y) * (z.max() + 1) + z
    return np.argsort(cube.astype(np.int64), kind="stable")
