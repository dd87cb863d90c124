# SPDX-License-Identifier: MIT
"""The kernel's own features: eigenvalues and eigenfunctions under a measure on the points."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import KernelError, SettingsError
from gplandmark.kernel import Kernel
from gplandmark.selection.factored import FactoredSearch
from gplandmark.selection.memory import check_memory
from gplandmark.theory.projection import checked_measure

__all__ = ["Spectrum", "feature_map"]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """K = Phi Phi^T + E, where E has no negative eigenvalue.

    Attributes
    ----------
    eigenvalues : (r,) lambda_k, falling; none exceeds that of the kernel, and they are equal
        where E = 0
    features : (n, r) Phi, its columns sqrt(lambda_k) phi_k(x) with phi_k orthonormal under the
        measure, equation (feature-mapping)
    residual : (n,) the diagonal of E
    measure : (n,) mu, a probability for every point
    """

    eigenvalues: FloatArray
    features: FloatArray
    residual: FloatArray
    measure: FloatArray


def feature_map(
    kernel: Kernel, measure: FloatArray | None = None, rank: int | None = None
) -> Spectrum:
    """Features of the kernel, so that K(x, y) is the inner product of Phi(x) and Phi(y).

    They diagonalise diag(mu)^(1/2) K diag(mu)^(1/2), from a pivoted Cholesky factor F of the
    kernel, K = F^T F + E: if F diag(mu)^(1/2) = V S U^T, then Phi = F^T V and lambda = S^2. No
    n x n matrix is formed.

    Parameters
    ----------
    kernel : over n points
    measure : (n,) weights mu of the points, such as their areas, scaled to sum 1; by default all
        alike
    rank : rows of the factor; by default as many as there are above rounding, so that E = 0

    Raises
    ------
    SettingsError
        The measure is no measure, or the rank is below 1.
    KernelError
        The kernel's diagonal is not finite, or zero everywhere.
    """
    weights = checked_measure(measure, kernel.size)
    if rank is not None and rank < 1:
        raise SettingsError(f"The rank must be at least 1, got {rank}.")
    search = FactoredSearch(kernel, np.ones(kernel.size, dtype=bool), rank)
    if not 0 < search.initial < np.inf:
        raise KernelError("The kernel's diagonal must be finite, and positive somewhere.")
    if rank is not None:
        check_memory(kernel.size, 3 * search.bytes_per_landmark(), rank)
    while search.count != rank and search.largest() > search.noise * search.initial:
        search.condition(search.winner(None))
    rows = search.rows[: search.count]
    triangle = np.asarray(np.linalg.qr((rows * np.sqrt(weights)).T, mode="r"))
    rotation, roots, _ = np.linalg.svd(triangle.T)
    return Spectrum(roots**2, rows.T @ rotation, search.variances, weights)
