# SPDX-License-Identifier: MIT
"""The paper's kernel in time linear in the vertices: every entry from one smooth field."""

from dataclasses import dataclass, replace

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels.reweighted import ReweightedKernel, check_masses
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.numerics.arguments import real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums import Field, Neighbours, make_field
from gplandmark.numerics.native import choose_loops, loops_name
from gplandmark.numerics.representation import short_repr
from gplandmark.numerics.threads import chunks, run_threaded

TOLERANCE = 1e-8
FINEST = 1e-12
COARSEST = 1e-2
PART = 16_384  # rows that one thread takes at a time


@dataclass(frozen=True, eq=False)
class FieldKernel:
    """K = W Lambda W of `ReweightedKernel`, by the parallelogram law; use `of` to make one.

        K(x, y) = exp(-|x - y|^2 / (2 eps)) g((x + y) / 2)
        g(m) = sum_k w(x_k) nu(x_k) exp(-2 |m - x_k|^2 / eps)

    because |x - z|^2 + |y - z|^2 = |x - y|^2 / 2 + 2 |z - (x + y) / 2|^2. The field g is tabulated
    once; every entry then costs the same, however many vertices there are.

    Attributes
    ----------
    exact : the kernel that this one approximates
    units : (n, 3) the points in the units of the field
    field : g
    tolerance : entries are within this fraction of the largest
    """

    exact: ReweightedKernel
    units: FloatArray
    field: Field | Neighbours
    tolerance: float

    __repr__ = short_repr

    @classmethod
    def of(
        cls,
        points: FloatArray,
        masses: FloatArray,
        eps: float,
        *,
        tolerance: float = TOLERANCE,
        loops: str | None = None,
        threads: int | None = None,
    ) -> "FieldKernel":
        """Tabulate the field of points (n, d), d up to 3, with masses (n,).

        `loops` forces the "compiled" or the "numpy" loops; the number of threads changes no digit.
        """
        check_bandwidth(eps)
        check_masses(masses, len(points))
        check_tolerance(tolerance)
        if points.ndim != 2 or not 1 <= points.shape[1] <= 3:
            raise KernelError(
                f"The field needs points in space, shape (n, 3) or less, got {points.shape}. "
                "Use the engine 'direct', or the kernel 'graph'."
            )
        points = in_space(points)
        field = make_field(points, masses, eps, tolerance, choose_loops(loops), threads)
        return cls(ReweightedKernel(points, masses, eps), field.units(points), field, tolerance)

    @property
    def size(self) -> int:
        """Number of points n."""
        return self.exact.size

    @property
    def points(self) -> FloatArray:
        """Their positions, shape (n, 3)."""
        return self.exact.points

    @property
    def noise_floor(self) -> float:
        """Four tolerances: a variance below is the difference of entries that are not exact."""
        return 4.0 * self.tolerance

    @property
    def engine(self) -> str:
        """How the entries are computed."""
        loops = loops_name(self.field.loops)
        return f"field, {loops} loops, entries within {self.tolerance:g} of the largest"

    def sharpened(self) -> "FieldKernel":
        """Return the same kernel at a hundredth of the tolerance, or the finest there is."""
        exact, field = self.exact, self.field
        finer = max(FINEST, self.tolerance / 100)
        sharp = make_field(exact.points, exact.masses, exact.eps, finer, field.loops, field.threads)
        return replace(self, units=sharp.units(exact.points), field=sharp, tolerance=finer)

    def diagonal(self) -> FloatArray:
        """K(x, x) = g(x), shape (n,)."""
        return self.field.at(self.units)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self._entries(self.units, self.units[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self._entries(self.units[rows], self.units[columns])

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b); summed where no field reaches."""
        points, others = in_space(points), in_space(others)
        low, high = self.exact.points.min(axis=0), self.exact.points.max(axis=0)
        if all(((low <= some) & (some <= high)).all() for some in (points, others)):
            return self._entries(self.field.units(points), self.field.units(others))
        return self.exact.between(points, others)

    def _entries(self, rows: FloatArray, columns: FloatArray) -> FloatArray:
        out = np.zeros((len(columns), len(rows)))

        def fill(part: tuple[int, slice]) -> None:
            k, some = part
            self.field.entries(rows[some], columns[k : k + 1], out[k : k + 1, some])

        parts = [(k, some) for k in range(len(columns)) for some in chunks(len(rows), PART)]
        run_threaded(fill, parts, self.field.threads)
        return out.T


def in_space(points: FloatArray) -> FloatArray:
    """Points of a line or plane (n, d) as points in space (n, 3): distances stay."""
    missing = ((0, 0), (0, 3 - points.shape[1]))
    return np.ascontiguousarray(np.pad(points, missing), dtype=np.float64)


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that is out of range."""
    if not FINEST <= real_number(tolerance, "The tolerance") <= COARSEST:
        raise SettingsError(
            f"The tolerance must be from {FINEST:g} to {COARSEST:g}, got {tolerance}. "
            f"Try {TOLERANCE:g}."
        )
