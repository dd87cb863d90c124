# SPDX-License-Identifier: MIT
"""Power function and Kolmogorov width: the error of landmarks, and the least of any functions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import (
    ConditionedProcess,
    VarianceHistory,
    checked_landmarks,
    refusal_floor,
    singular,
    whiten,
)
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.numerics.arrays import FloatArray, IndexArray


def power_function(kernel: Kernel, landmarks: Sequence[int] | IndexArray) -> FloatArray:
    """Distance of every K(., x) to the span of the landmarks' columns, shape (n,).

    The power function of scattered data approximation. Its square is P of equation
    (dist-between-pt-to-plane), the variance; the largest square is Pi of equation
    (defn-power-function).
    """
    return np.sqrt(whiten(kernel, landmarks).variance)


def projection_coefficients(kernel: Kernel, landmarks: Sequence[int] | IndexArray) -> FloatArray:
    """Coefficients a*_i(x) of the projection of K(., x), lemma (basic-project-estimates).

    a*(x) = K(X, X)^-1 K(X, x), shape (m, n): P(K(., x)) = sum_i a*_i(x) K(., x_i). They are also
    the weights by which kriging takes the observed values.
    """
    white = whiten(kernel, landmarks)
    return np.asarray(scipy.linalg.solve_triangular(white.factor, white.rows, lower=True, trans=1))


def variance_history(
    kernel: Kernel, landmarks: Sequence[int] | IndexArray, measure: FloatArray | None = None
) -> VarianceHistory:
    """Largest and mean variance after each of the landmarks, in their order.

    `measure` (n,) weighs the points for the mean, such as their areas; by default all alike.
    """
    indices = checked_landmarks(landmarks, kernel.size, least=1)
    process = ConditionedProcess(kernel, None, len(indices), refusal_floor(kernel))
    history = process.history(indices, checked_measure(measure, kernel.size))
    if history.skipped:
        raise singular(history.skipped[0])
    return history


def checked_measure(measure: FloatArray | None, size: int) -> FloatArray:
    """A probability for every point, shape (n,), in proportion to the measure given."""
    if measure is None:
        return np.full(size, 1.0 / size)
    weights = np.asarray(measure, dtype=np.float64)
    if weights.shape != (size,):
        raise SettingsError(f"The measure must have {size:,} entries, got shape {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise SettingsError("The measure must be finite, not negative, and not zero everywhere.")
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, eq=False)
class Oracle:
    """Bounds for the squared Kolmogorov width d_n^2, n = 0, 1, ..., m, in units of variance."""

    lower: FloatArray  # (m + 1,) no subspace of dimension n leaves a smaller largest variance
    upper: FloatArray  # (m + 1,) the subspace of the first n eigenfunctions leaves this much


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
        The count is negative, the rank is below 1, or the measure is not valid.
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


@dataclass(frozen=True, eq=False)
class FeatureMap:
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
) -> FeatureMap:
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
        The measure is not valid, or the rank is below 1.
    KernelError
        The kernel's diagonal is not finite, or zero everywhere.
    """
    weights = checked_measure(measure, kernel.size)
    if rank is not None and rank < 1:
        raise SettingsError(f"The rank must be at least 1, got {rank}.")
    search = FactoredSearch(kernel, None, rank)
    if not 0 < search.initial < np.inf:
        raise KernelError("The kernel's diagonal must be finite, and positive somewhere.")
    if rank is not None:
        check_memory(kernel.size, 3 * search.bytes_per_landmark(), rank)
    while search.count != rank and search.largest() > search.noise * search.initial:
        search.condition(search.winner(None))
    rows = search.rows[: search.count]
    triangle = np.asarray(np.linalg.qr((rows * np.sqrt(weights)).T, mode="r"))
    rotation, roots, _ = np.linalg.svd(triangle.T)
    return FeatureMap(roots**2, rows.T @ rotation, search.variances, weights)


OUTSIDE = 1e-6  # fraction of a function that may lie outside the space: rounding


def inner_product(space: FeatureMap, one: FloatArray, two: FloatArray) -> float:
    """Inner product in the reproducing kernel Hilbert space, equation (rkhs-inner-product).

        <f, g> = sum_k <f, phi_k>_mu <g, phi_k>_mu / lambda_k

    where the paper writes exp(-lambda_k) for the eigenvalue lambda_k. It does not depend on the
    measure mu, and <f, K(., x)> = f(x).

    Parameters
    ----------
    space : `feature_map` of the kernel, of full rank
    one, two : (n,) values of f and g at the points

    Raises
    ------
    SettingsError
        A function does not lie in the space, where its norm is infinite.
    """
    return float(_coordinates(space, one) @ _coordinates(space, two))


def _coordinates(space: FeatureMap, function: FloatArray) -> FloatArray:
    """Return b (r,) of f = sum_k b_k sqrt(lambda_k) phi_k, (defn-rkhs-intro-reinterp)."""
    values = np.asarray(function, dtype=np.float64)
    if values.shape != space.measure.shape or not np.isfinite(values).all():
        raise SettingsError(f"A function needs {len(space.measure):,} finite values.")
    found = (space.features.T @ (space.measure * values)) / space.eigenvalues
    left = values - space.features @ found
    if np.sqrt(space.measure @ left**2) > OUTSIDE * np.sqrt(space.measure @ values**2):
        raise SettingsError(
            "The function does not lie in the space of the kernel: its norm there is infinite. "
            "Use sums of the kernel's columns, or a rougher kernel."
        )
    return np.asarray(found)
