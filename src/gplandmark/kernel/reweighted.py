# SPDX-License-Identifier: MIT
"""The paper's kernel: a heat kernel with a weight in its middle."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import KernelError
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.squared_exponential import gaussian
from gplandmark.kernel.tiles import GaussianTiles

__all__ = ["ReweightedKernel", "check_masses"]

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

    def __post_init__(self) -> None:
        """Refuse what would not be a covariance."""
        check_bandwidth(self.eps)
        check_masses(self.masses, len(self.points))

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    @cached_property
    def _tiles(self) -> GaussianTiles:
        return GaussianTiles.of(self.points, self.eps)

    def diagonal(self) -> FloatArray:
        """K_ii = sum_k W_ik^2 Lambda_k, shape (n,): step 11 of Algorithm 1."""
        return self._tiles.squared_product(self.masses)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        near = gaussian(self.points, self.points[indices], self.eps)
        return self._tiles.product(self.masses[:, None] * near)

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.between(self.points[rows], self.points[columns])

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
        raise KernelError("All weights are zero: nothing on this surface would be of interest.")
