# SPDX-License-Identifier: MIT
"""Kernels that are given as a whole matrix, dense or sparse."""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.gp.kernels.protocol import ROUNDING_FLOOR
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr


@dataclass(frozen=True, eq=False)
class MatrixKernel:
    """A covariance given as a whole; use `as_kernel` to have it checked."""

    matrix: FloatArray  # (n, n) symmetric and positive semidefinite
    noise_floor: float = ROUNDING_FLOOR

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.matrix)

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return self.matrix.diagonal().copy()

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.matrix[:, indices]

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.matrix[np.ix_(rows, columns)]


@dataclass(frozen=True, eq=False)
class SparseKernel:
    """A covariance given as a sparse matrix, which stays sparse; use `as_kernel` to make one."""

    matrix: "scipy.sparse.csc_array"  # (n, n) symmetric and positive semidefinite
    noise_floor: float = ROUNDING_FLOOR

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points n."""
        return int(self.matrix.shape[0])

    def diagonal(self) -> FloatArray:
        """Variance of every point, shape (n,)."""
        return np.array(self.matrix.diagonal(), dtype=np.float64)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return np.asarray(self.matrix[:, indices].toarray())

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return np.asarray(self.matrix[:, columns][rows].toarray())
