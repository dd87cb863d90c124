# SPDX-License-Identifier: MIT
"""The oracle's error: what n landmarks, or any other n functions, could reach at best."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import SettingsError
from gplandmark.kernel import Kernel
from gplandmark.theory.spectrum import feature_map

__all__ = ["Oracle", "oracle_bounds"]


@dataclass(frozen=True, eq=False)
class Oracle:
    """Bounds for the squared Kolmogorov width d_n^2, n = 0, 1, ..., m, in units of variance.

    Attributes
    ----------
    lower : (m + 1,) no subspace of dimension n leaves a smaller largest variance
    upper : (m + 1,) the subspace of the first n eigenfunctions leaves this much
    """

    lower: FloatArray
    upper: FloatArray


def oracle_bounds(
    kernel: Kernel, count: int, measure: FloatArray | None = None, rank: int | None = None
) -> Oracle:
    """Bound the error d_n of equation (defn-dn) from both sides, for n up to a count.

    From below, for any probability measure mu, because a maximum is at least a mean and no
    subspace does better in the mean than the eigenspace of T = diag(mu)^(1/2) K diag(mu)^(1/2):

        d_n^2 >= min over Y of sum_i mu_i dist(K_i, Y)^2 = sum_{k > n} lambda_k(T).

    From above, by that eigenspace: d_n^2 <= max_i (K_ii - sum_{k <= n} lambda_k phi_k(x_i)^2).

    The ratio of the greedy variance to the lower bound says how far from optimal the landmarks
    can be at most. A factor of lower rank than the kernel's keeps both bounds true: it leaves
    K = F^T F + E with E positive semidefinite, so that no eigenvalue of F^T F exceeds that of K,
    and the upper bound counts the diagonal of E.

    Parameters
    ----------
    kernel : over n points
    count : largest dimension asked for
    measure : (n,) mu, by default uniform; areas of vertices are a good choice
    rank : rows of the factor; by default all above rounding. Three times the count mostly
        changes little, and saves much on many points

    Raises
    ------
    SettingsError
        The count is negative, the rank is below 1, or the measure is no measure.
    """
    if count < 0:
        raise SettingsError(f"The count must be 0 or more, got {count}.")
    spectrum = feature_map(kernel, measure, rank)
    known = min(count, len(spectrum.eigenvalues))
    # Sums from the small end, so that the tail does not vanish in the rounding of the head.
    tails = np.cumsum(spectrum.eigenvalues[::-1])[::-1]
    lower = np.zeros(count + 1)
    lower[: min(count + 1, len(tails))] = tails[: count + 1]
    upper = np.zeros(count + 1)
    left = spectrum.residual + (spectrum.features[:, known:] ** 2).sum(axis=1)
    upper[known:] = left.max()
    for n in range(known - 1, -1, -1):
        left = left + spectrum.features[:, n] ** 2
        upper[n] = left.max()
    return Oracle(lower, upper)
