# SPDX-License-Identifier: MIT
"""The reweighted kernel on the graph of nearest neighbours: sparse, in any dimension."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from gplandmark.errors import SettingsError, warn
from gplandmark.gp.kernels.reweighted import check_masses
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.mesh.neighbours import nearest
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

NEIGHBOURS = 500  # as in the authors' code
VISIBLE = 0.1  # a kernel that is still this large at its cut is decided by the cut


@dataclass(frozen=True, eq=False)
class GraphKernel:
    """K = Phi Lambda Phi, with Phi = (P + P^T) / 2 a sparse approximation of W.

    P_ij = exp(-|x_i - x_j|^2 / eps) where x_j is x_i itself or one of its `neighbours`
    nearest, else 0. This is step 5 of Algorithm 1 with the weighted graph of the paper's first
    remark, and what the authors' published code does. Whatever the cut, K is a covariance.

    Parameters
    ----------
    points : (n, d), any d
    masses : (n,) the diagonal of Lambda
    eps : in squared units of the points
    neighbours : how many besides the point itself; all of them if there are fewer
    """

    points: FloatArray
    masses: FloatArray
    eps: float
    neighbours: int = NEIGHBOURS

    __repr__ = short_repr

    def __post_init__(self) -> None:
        check_bandwidth(self.eps)
        check_masses(self.masses, len(self.points))
        check_neighbours(self.neighbours)

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    @cached_property
    def _graph(self) -> "tuple[scipy.sparse.csr_array, FloatArray]":
        """Phi, and the weight of every point's farthest neighbour, shape (n,)."""
        count = min(self.neighbours + 1, self.size)
        distances, found = nearest(self.points, count)
        rows = np.repeat(np.arange(self.size), count)
        values = np.exp(-(distances**2) / self.eps)
        entries = values.ravel(), (rows, found.ravel())
        cut = scipy.sparse.csr_array(entries, shape=(self.size, self.size))
        return (cut + cut.T).tocsr() / 2, values[:, -1].copy()

    @property
    def _phi(self) -> "scipy.sparse.csr_array":
        return self._graph[0]

    def warn(self, name: str) -> None:
        """Say where the graph, and not the bandwidth, decides how far a landmark reaches."""
        from scipy.sparse.csgraph import connected_components

        pieces = connected_components(self._phi, directed=False, return_labels=False)
        if pieces > 1:
            warn(
                f"The graph of {name} has {pieces:,} separate pieces, and a landmark has no effect "
                "on other pieces. Use more neighbours to join them, if they belong together."
            )
        cut = float(np.median(self._graph[1]))
        if self.neighbours + 1 < self.size and cut > VISIBLE:
            warn(
                f"The graph of {name} ends at {self.neighbours} neighbours, where the kernel is "
                f"still {cut:.2f} of its peak, so that their number decides how far a landmark "
                "reaches. Use more neighbours, or a smaller bandwidth."
            )

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


def check_neighbours(neighbours: int, points: int | None = None) -> None:
    """Refuse a graph without edges, and more neighbours than there are points."""
    most = np.inf if points is None else points - 1
    if not 1 <= whole_number(neighbours, "The number of neighbours") <= most:
        limit = "at least 1" if points is None else f"from 1 to {points - 1} on {points} points"
        raise SettingsError(
            f"The number of neighbours of the graph must be {limit}, got {neighbours}."
        )
