# SPDX-License-Identifier: MIT
"""Kernels made of W, by sums over all pairs: the paper's W Lambda W, and the diffusion kernel."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels.stationary import gaussian
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.numerics.arguments import real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums import make_field
from gplandmark.numerics.gaussian_sums.partition import Part, partition
from gplandmark.numerics.native import choose_loops
from gplandmark.numerics.representation import short_repr
from gplandmark.numerics.threads import run_threaded

BLOCK = 1024  # larger blocks cost fewer Python steps, smaller ones skip more far blocks
FEW = 32  # points of a block where only some are asked for: every thread has its share
NEGLIGIBLE = 41.4  # exp(-41.4) = 1e-18
ONE = np.ones((1, 1))  # a single Gaussian


@dataclass(frozen=True, eq=False)
class PairSums:
    """Products with W over the given points, without W; use `of` to make one."""

    blocks: list[IndexArray]
    parts: list[FloatArray]  # (d, b) coordinates of a block
    eps: float
    centre: FloatArray  # (d,) that the coordinates are relative to

    @classmethod
    def of(cls, points: FloatArray, eps: float) -> "PairSums":
        """Sort the points (n, d) into blocks."""
        centre = points.mean(axis=0)
        found = _blocks(points - centre, BLOCK)
        return cls([block for block, _ in found], [part for _, part in found], eps, centre)

    @cached_property
    def boxes(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the blocks, each (blocks, d)."""
        low = np.array([part.min(axis=1) for part in self.parts])
        return low, np.array([part.max(axis=1) for part in self.parts])

    @cached_property
    def rows(self) -> list[FloatArray]:
        """Coordinates of each block, (b, d)."""
        return [np.ascontiguousarray(part.T) for part in self.parts]

    def near(self, part: FloatArray) -> IndexArray:
        """The blocks that matter to points by axis (d, b)."""
        low, high = self.boxes
        gaps = np.maximum(part.min(axis=1) - high, low - part.max(axis=1))
        return np.flatnonzero((np.maximum(0, gaps) ** 2).sum(axis=1) <= NEGLIGIBLE * self.eps)

    def product(self, values: FloatArray, *, squared: bool = False) -> FloatArray:
        """W @ values, for values of shape (n,) or (n, m); or (W * W) @ values, entry by entry."""
        columns = values if values.ndim == 2 else values[:, None]
        blocks = list(zip(self.blocks, self.parts, strict=True))
        return self._sums(blocks, columns, 2.0 if squared else 1.0).reshape(values.shape)

    def product_at(self, points: FloatArray, values: FloatArray) -> FloatArray:
        """Sums sum_k exp(-|x - x_k|^2 / eps) values_k at other points x (r, d), shape (r, m)."""
        return self._sums(_blocks(points - self.centre, FEW), values, 1.0)

    def _sums(self, blocks: list[Part], values: FloatArray, power: float) -> FloatArray:
        inputs = [np.ascontiguousarray(values[block]) for block in self.blocks]
        result = np.empty((sum(len(block) for block, _ in blocks), values.shape[1]))
        loops, decay = choose_loops(), power / self.eps

        # A block is summed by one thread in one order: no digit depends on their number.
        def fill(at: int) -> None:
            block, part = blocks[at]
            sums = np.zeros((1, values.shape[1], len(block)))
            for other in self.near(part):
                loops.pair_sums(part, self.rows[other], inputs[other], ONE, sums, decay)
            result[block] = sums[0].T

        run_threaded(fill, range(len(blocks)))
        return result


def _blocks(points: FloatArray, most: int) -> list[Part]:
    """Blocks of points that are near each other, bounded by their number of points alone."""
    return partition(points, -1.0, most)  # no side is short enough to stop at


CHUNK = 2048  # vertices summed over at a time, which bounds the memory of `between`


@dataclass(frozen=True, eq=False)
class ReweightedKernel:
    """K = W Lambda W, equation (location-prior-kernel-discrete) and step 10 of Algorithm 1.

        K(x, y) = sum_k exp(-|x - x_k|^2 / eps) w(x_k) nu(x_k) exp(-|x_k - y|^2 / eps)

    Neither W nor K is ever stored as an n x n matrix.

    Parameters
    ----------
    points : (n, d) vertices x_k
    masses : (n,) w(x_k) nu(x_k), the diagonal of Lambda
    eps : t / 2 of that equation, in squared units of the points
    """

    points: FloatArray
    masses: FloatArray
    eps: float

    __repr__ = short_repr

    def __post_init__(self) -> None:
        check_bandwidth(self.eps)
        check_masses(self.masses, len(self.points))

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    columns_together = True  # many columns take little longer than one

    @cached_property
    def _sums(self) -> PairSums:
        return PairSums.of(self.points, self.eps)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_sums"}

    def diagonal(self) -> FloatArray:
        """K_ii = sum_k W_ik^2 Lambda_k, shape (n,): step 11 of Algorithm 1."""
        return self._sums.product(self.masses, squared=True)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        near = gaussian(self.points, self.points[indices], self.eps)
        return self._sums.product(self.masses[:, None] * near)

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        near = gaussian(self.points, self.points[columns], self.eps)
        return self._sums.product_at(self.points[rows], self.masses[:, None] * near)

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        total = np.zeros((len(points), len(others)))
        for start in range(0, self.size, CHUNK):
            part = slice(start, start + CHUNK)
            left = gaussian(points, self.points[part], self.eps)
            right = gaussian(self.points[part], others, self.eps)
            total += (left * self.masses[part]) @ right
        return total


def check_masses(masses: FloatArray, count: int) -> None:
    """Refuse weights that make no covariance: wrong in number, negative, or all zero."""
    if masses.shape != (count,):
        raise KernelError(f"Expected one weight per vertex, {count} in all, got {masses.shape}.")
    if not np.isfinite(masses).all() or (masses < 0).any():
        raise KernelError("Weights must be finite and not negative.")
    if not masses.any():
        raise KernelError("All weights are zero: no point of this surface has any variance.")


ACCURACY = 1e-11  # of the sums over all points, as a fraction of the largest


@dataclass(frozen=True, eq=False)
class DiffusionKernel:
    """K_ij = v W^a_ij / (d_i d_j), the alpha-normalised diffusion of Coifman and Lafon.

    For points that are sampled unevenly.

        q = W 1,   W^a_ij = W_ij / (q_i q_j)^alpha,   d = W^a 1,   v = sum_i d_i

    with W = exp(-|x - y|^2 / eps). One step of the diffusion is P = W^a / d; its stationary
    measure is d / v, and K is the density of P with respect to it. So K is symmetric and
    positive semidefinite, and with alpha = 1 the sampling density cancels: d / v is then the
    fraction of the surface that belongs to each point.

    Parameters
    ----------
    points : (n, d)
    eps : in squared units of the points
    alpha : 1 removes the density of the sampling, 0 leaves it in, 1/2 is between them
    """

    points: FloatArray
    eps: float
    alpha: float = 1.0

    __repr__ = short_repr

    def __post_init__(self) -> None:
        check_bandwidth(self.eps)
        check_alpha(self.alpha)

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    @cached_property
    def scaling(self) -> FloatArray:
        """Factors s of K_ij = s_i W_ij s_j, shape (n,)."""
        density = self._sums(np.ones(self.size))
        inverse = density**-self.alpha
        degree = inverse * self._sums(inverse)
        return np.asarray(inverse / degree * np.sqrt(degree.sum()))

    def _sums(self, values: FloatArray) -> FloatArray:
        """W @ values, from a field where points lie in space."""
        if self.points.shape[1] != 3:
            return PairSums.of(self.points, self.eps).product(values)
        field = make_field(self.points, values, 2 * self.eps, ACCURACY, choose_loops())
        return field.at(field.units(self.points))

    def diagonal(self) -> FloatArray:
        """K_ii = s_i^2, shape (n,)."""
        return np.asarray(self.scaling**2)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.block(np.arange(self.size), indices)

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        entries = gaussian(self.points[rows], self.points[columns], self.eps)
        return self.scaling[rows, None] * entries * self.scaling[columns]


def check_alpha(alpha: float) -> None:
    """Refuse an exponent outside 0 to 1."""
    if not 0 <= real_number(alpha, "alpha") <= 1:
        raise SettingsError(f"alpha must be from 0 to 1, got {alpha}. Try 1.")
