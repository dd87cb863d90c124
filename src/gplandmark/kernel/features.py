# SPDX-License-Identifier: MIT
"""Kernels that are inner products of features, as all spectral ones are."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["FeatureKernel"]


@dataclass(frozen=True, eq=False)
class FeatureKernel:
    """K = F F^T, equation (heat-kernel-as-inner-product): K(x, y) = <F(x), F(y)>.

    Made by `heat_kernel`, `reweighted_heat_kernel` and `spectral_matern_kernel`. Its rank is
    the number of features, and so is the largest number of landmarks that it can tell apart.

    Attributes
    ----------
    features : (n, k) the rows F(x)
    neglected : about what share of the trace the features beyond these would add
    """

    features: FloatArray
    neglected: float = 0.0

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.features)

    def scaled(self, factor: float) -> "FeatureKernel":
        """Return this kernel times a positive factor, which changes no landmark."""
        return FeatureKernel(self.features * np.sqrt(factor), self.neglected)

    def diagonal(self) -> FloatArray:
        """K_ii = |F_i|^2, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.features, self.features))

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.features @ self.features[indices].T

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.features[rows] @ self.features[columns].T
