# SPDX-License-Identifier: MIT
"""The field g(m) = sum_k mass_k exp(-2 |m - z_k|^2 / eps), tabulated on a regular grid.

Masses are spread to the grid with a window, convolved axis by axis with a Gaussian from which the
window has been divided out twice, and read back with the same window.  Coordinates given to a
field are in its own units: grid steps from the corner of the grid (see `Field.units`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, pairwise
from types import ModuleType

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.grid import (
    ShortenedAxes,
    Window,
    choose_window,
    extent_of,
    grid_shape,
    grid_size,
    shorten_axes,
)
from gplandmark.numerics.gaussian_sums.near_points import Neighbours, near_field
from gplandmark.numerics.native import WithLoops, choose_loops
from gplandmark.numerics.threads import chunks, map_chunks, run_threaded

FINE, COARSE = 0.06, 0.12  # grid step / sqrt(eps): the fine grid needs one tap less along each axis
SMALLEST = 1e-12  # sqrt(eps) / span, below which coordinates are rounding errors
LARGEST = 6.4e7  # grid points, half a gigabyte


@dataclass(frozen=True)
class Field(WithLoops):
    """Tabulated g; ``step`` and ``origin`` lead from space to grid units."""

    values: FloatArray  # (x, y, z)
    window: Window
    origin: FloatArray  # (3,)
    step: float
    decay: float  # the kernel's Gaussian factor is exp(-decay |u - v|^2) in grid units
    cutoff: float  # exponents beyond which an entry is taken to be zero
    loops: ModuleType
    threads: int | None = None
    shortened: ShortenedAxes | None = None

    @property
    def scale(self) -> float:
        """``sqrt(eps)`` in grid units."""
        return float(np.sqrt(0.5 / self.decay))

    def units(self, points: FloatArray) -> FloatArray:
        """Coordinates in grid steps."""
        close = points if self.shortened is None else self.shortened(points)
        return np.ascontiguousarray((close - self.origin) / self.step)

    def at(self, u: FloatArray) -> FloatArray:
        """G at points (n, 3) given in grid units."""
        return map_chunks(self.at_once, u, 16384, self.threads)

    def at_once(self, u: FloatArray) -> FloatArray:
        """The same on this thread."""
        out = np.empty(len(u))
        self.loops.interpolate(self.values, u, self.window.coefficients, out, self.window.width)
        return out

    def entries(self, rows: FloatArray, columns: FloatArray, out: FloatArray) -> None:
        """``out[j, i] = exp(-decay |x_i - y_j|^2) g((x_i + y_j) / 2)``, on this thread."""
        w = self.window
        self.loops.entries(
            self.values, rows, columns, w.coefficients, out, w.width, self.decay, self.cutoff
        )

    def tensor_entries(
        self, axes: tuple[FloatArray, FloatArray, FloatArray], columns: FloatArray, out: FloatArray
    ) -> None:
        """The same with rows on a tensor grid of nodes, for a tenth of the work per entry."""
        w = self.window
        self.loops.tensor_entries(
            self.values, *axes, columns, w.coefficients, out, w.width, self.decay
        )


def make_field(
    points: FloatArray,
    masses: FloatArray,
    eps: float,
    tolerance: float,
    loops: ModuleType,
    threads: int | None = None,
) -> Field | Neighbours:
    """Make g to ``tolerance`` of its largest value: on a grid if one fits, else by sums."""
    return prepare_field(points, eps, tolerance, loops, threads)(masses)


def prepare_field(
    points: FloatArray,
    eps: float,
    tolerance: float,
    loops: ModuleType,
    threads: int | None = None,
    ratio: float | None = None,
) -> Callable[[FloatArray], Field | Neighbours]:
    """Prepare all that depends on the points alone; return the function from masses to g."""
    span = float(extent_of(points).max())
    if np.sqrt(eps) < SMALLEST * span:
        raise SettingsError(
            f"The bandwidth {eps:.3g} is too small for a surface that spans {span:.3g}: "
            "coordinates have no digits of that size. Use a larger one."
        )
    if grid_size(extent_of(points), eps, COARSE) <= LARGEST:
        return prepare_grid(points, eps, tolerance, None, loops, threads, ratio)
    shortened = shorten_axes(points, 2.0 * float(np.sqrt(2.0 * eps * np.log(1e3 / tolerance))))
    if grid_size(extent_of(shortened(points)), eps, COARSE) <= LARGEST:
        return prepare_grid(points, eps, tolerance, shortened, loops, threads, ratio)
    return lambda masses: near_field(points, masses, eps, tolerance, shortened, loops, threads)


def prepare_grid(
    points: FloatArray,
    eps: float,
    tolerance: float,
    shortened: ShortenedAxes | None,
    loops: ModuleType,
    threads: int | None = None,
    ratio: float | None = None,
) -> Callable[[FloatArray], Field]:
    """Return the function that tabulates g on a grid of step ``ratio sqrt(eps)``.

    By default the grid is fine, for a narrower window, if it has few nodes per vertex.
    """
    close = points if shortened is None else shortened(points)
    lower, extent = np.array([column.min() for column in close.T]), extent_of(close)
    if ratio is None:
        ratio = FINE if grid_size(extent, eps, FINE) <= 4.0 * len(points) else COARSE
    window = choose_window(ratio, tolerance)
    step = ratio * float(np.sqrt(eps))
    origin = lower - step * (0.5 * window.width + 1.0)
    cutoff = float(np.log(1e3 / tolerance))
    size = grid_shape(extent, eps, ratio, window.width)
    decay = 0.5 * ratio**2
    units = np.ascontiguousarray((close - origin) / step)
    order, slabs = sort_into_slabs(units, window.width)
    units = units[order]

    def tabulate(masses: FloatArray) -> Field:
        grid = np.zeros(size)
        field = Field(grid, window, origin, step, decay, cutoff, loops, threads, shortened)
        spread(field, units, masses[order], slabs)
        convolve(field)
        return field

    return tabulate


def sort_into_slabs(u: FloatArray, thickness: int) -> tuple[IndexArray, list[slice]]:
    """Order of points by slabs of that many steps along x, and the slabs."""
    slab = (u[:, 0] / thickness).astype(np.uint16)
    order = np.argsort(slab, kind="stable")
    edges = np.searchsorted(slab[order], np.arange(int(slab.max()) + 2))
    return order, [slice(*pair) for pair in pairwise(edges.tolist())]


def spread(field: Field, u: FloatArray, masses: FloatArray, slabs: list[slice]) -> None:
    """Add the masses to the grid, slab by slab.

    Slabs as thick as the window touch only their neighbours, so all even ones run at once, then all
    odd ones: no two threads meet, and the sums do not depend on how many there are.
    """

    def run(piece: slice) -> None:
        w = field.window
        field.loops.spread(field.values, u[piece], masses[piece], w.coefficients, w.width)

    run_threaded(run, slabs[0::2], field.threads)
    run_threaded(run, slabs[1::2], field.threads)


def convolve(field: Field) -> None:
    """Convolve with the taps along each axis, in place."""
    grid = field.values

    def along_first(table: FloatArray) -> FloatArray:
        out = np.empty(table.shape)
        field.loops.convolve(np.ascontiguousarray(table), field.window.taps, out)
        return out

    def plane(k: int) -> None:
        grid[k] = along_first(along_first(grid[k]).T).T

    run_threaded(plane, range(len(grid)), field.threads)
    columns = grid.reshape(len(grid), -1)

    def across(piece: slice) -> None:
        columns[:, piece] = along_first(columns[:, piece])

    run_threaded(across, chunks(columns.shape[1], 512), field.threads)


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
    order = _order_by_cube(points, 2 * width)
    points, channels = points.take(order, axis=0), _rows_as_columns(values, order)
    make = prepare_field(points, 4 * width**2, TOLERANCE, choose_loops(), ratio=RATIO)
    fields = (make(column) for column in channels)  # one at a time: each has a grid of its own
    first = next(fields)
    units = first.units(points)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    for channel, field in enumerate(chain([first], fields)):
        channels[channel] = field.at(units).take(back)
    return np.asarray(channels.T)


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
