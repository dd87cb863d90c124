# SPDX-License-Identifier: MIT
"""The diffusion kernel, for points that are sampled unevenly."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels.reweighted import GaussianTiles
from gplandmark.gp.kernels.stationary import gaussian
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums import make_field
from gplandmark.numerics.native import choose_loops

ACCURACY = 1e-11  # of the sums over all points, as a fraction of the largest


@dataclass(frozen=True, eq=False)
class DiffusionKernel:
    """K_ij = v W^a_ij / (d_i d_j), the alpha-normalised diffusion of Coifman and Lafon.

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

    def __post_init__(self) -> None:
        """Refuse a bandwidth or an alpha that is out of range."""
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
            return GaussianTiles.of(self.points, self.eps).product(values)
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
    if not 0 <= alpha <= 1:
        raise SettingsError(f"alpha must be from 0 to 1, got {alpha}. Try 1.")
