# SPDX-License-Identifier: MIT
"""Distances in the space of the kernel: how well columns of landmarks give all the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import whiten
from gplandmark.gp.kernels import Kernel
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = [
    "VarianceHistory",
    "checked_measure",
    "power_function",
    "projection_coefficients",
    "variance_history",
]


@dataclass(frozen=True, eq=False)
class VarianceHistory:
    """The variance after 0, 1, ..., m landmarks.

    Attributes
    ----------
    largest : (m + 1,) v_n = max_x v_n(x), the squared sigma_n of equation (defn-sigma) where the
        landmarks are greedy
    mean : (m + 1,) sum of mu(x) v_n(x), its mean under the measure
    """

    largest: FloatArray
    mean: FloatArray


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
    return np.asarray(solve_triangular(white.factor, white.rows, lower=True, trans=1))


def variance_history(
    kernel: Kernel,
    landmarks: Sequence[int] | IndexArray,
    measure: FloatArray | None = None,
) -> VarianceHistory:
    """Largest and mean variance after each of the landmarks, in their order.

    `measure` (n,) weighs the points for the mean, such as their areas; by default all alike.
    """
    weights = checked_measure(measure, kernel.size)
    variance = kernel.diagonal()
    largest, mean = [float(variance.max())], [float(weights @ variance)]
    for row in whiten(kernel, landmarks).rows:
        variance = np.maximum(variance - row**2, 0.0)
        largest.append(float(variance.max()))
        mean.append(float(weights @ variance))
    return VarianceHistory(np.array(largest), np.array(mean))


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
