# SPDX-License-Identifier: MIT
"""The reweighted kernel as the authors' published code builds it: cut at nearest neighbours."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.reweighted import check_masses

__all__ = ["TruncatedKernel"]


@dataclass(frozen=True, eq=False)
class TruncatedKernel:
    """K = Phi Lambda Phi, with Phi = (P + P^T) / 2 a sparse stand-in for W.

    P_ij = exp(-|x_i - x_j|^2 / eps) where x_j is x_i itself or one of its `neighbours`
    nearest, else 0.

    Parameters
    ----------
    points : (n, d)
    masses : (n,) the diagonal of Lambda
    eps : in squared units of the points
    neighbours : how many besides the point itself
    """

    points: FloatArray
    masses: FloatArray
    eps: float
    neighbours: int = 500

    def __post_init__(self) -> None:
        """Refuse what would not be a covariance."""
        check_bandwidth(self.eps)
        check_masses(self.masses, len(self.points))

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    @cached_property
    def _phi(self) -> sparse.csr_array:
        count = min(self.neighbours + 1, self.size)
        distances, nearest = cKDTree(self.points).query(self.points, count)
        rows = np.repeat(np.arange(self.size), count)
        values = np.exp(-(distances.ravel() ** 2) / self.eps)
        cut = sparse.csr_array((values, (rows, nearest.ravel())), shape=(self.size, self.size))
        return (cut + cut.T).tocsr() / 2

    def diagonal(self) -> FloatArray:
        """K_ii = sum_k Phi_ik^2 Lambda_k, shape (n,)."""
        return np.asarray(self._phi.power(2) @ self.masses)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return np.asarray(self._phi @ self._weighted(indices))

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return np.asarray(self._phi[rows] @ self._weighted(columns))

    def _weighted(self, indices: IndexArray) -> FloatArray:
        """Lambda Phi at the given columns, shape (n, m); Phi is symmetric."""
        return np.asarray(self.masses[:, None] * self._phi[indices].toarray().T)
