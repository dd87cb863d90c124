# SPDX-License-Identifier: MIT
"""How well a covariance explains values: likelihood and leave-one-out, with their derivatives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.numerics.arrays import FloatArray

ENOUGH = 1e-12  # noise, as a fraction of the trace, above which no covariance is singular


@dataclass(frozen=True)
class Score:
    """A criterion, the best scale, and the derivative G (m, m) by the entries of C."""

    value: float
    scale: float
    slope: Callable[[], FloatArray]


def scored(among: FloatArray, values: FloatArray, noise: float, criterion: str) -> Score | None:
    """Score of a covariance (m, m) without noise; None if it is not positive definite with it.

    Nor if it is so nearly singular that its factor is rounding.
    """
    covariance = among + noise * np.eye(len(values))
    factor, failed = scipy.linalg.lapack.dpotrf(covariance, lower=1)
    if failed or not np.isfinite(factor).all() or _is_singular(covariance, factor, noise):
        return None
    return CRITERIA[criterion](factor, values)


def _is_singular(covariance: FloatArray, factor: FloatArray, noise: float) -> bool:
    """Whether the condition of the correlations, which depends on no unit, is beyond rounding."""
    if noise > ENOUGH * np.trace(covariance):  # the smallest eigenvalue is at least the noise
        return False
    deviations = np.sqrt(np.diag(covariance))
    norm = float((np.abs(covariance) / deviations / deviations[:, None]).sum(axis=1).max())
    condition, _ = scipy.linalg.lapack.dpocon(factor / deviations[:, None], norm, uplo="L")
    return bool(condition < np.finfo(float).eps)


def _inverse(factor: FloatArray) -> FloatArray:
    lower, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)


def _likelihood(factor: FloatArray, values: FloatArray) -> Score:
    """G = (a a^T / s^2 - C^-1) / 2 with a = C^-1 Y."""
    solved = scipy.linalg.cho_solve((factor, True), values)
    scale = max(float(np.mean(values * solved)), np.finfo(float).tiny)
    determinant = 2 * float(np.log(np.diag(factor)).sum())
    value = -0.5 * (len(values) * (float(np.log(2 * np.pi * scale)) + 1) + determinant)
    return Score(value, scale, lambda: (np.outer(solved, solved) / scale - _inverse(factor)) / 2)


def _leave_one_out(factor: FloatArray, values: FloatArray) -> Score:
    """G = C^-1 (e a^T / s^2 - diag(1 / p + e^2 / s^2) C^-1 / 2), a = C^-1 Y, e = a / p.

    p is the diagonal of C^-1, and e the errors of leaving each value out.
    """
    inverse = _inverse(factor)
    precision, solved = np.diag(inverse), inverse @ values
    errors = solved / precision
    scale = max(float(np.mean(errors**2 * precision)), np.finfo(float).tiny)
    logarithms = np.log(2 * np.pi * scale / precision) + errors**2 * precision / scale

    def slope() -> FloatArray:
        weights = (1 / precision + errors**2 / scale) / 2
        crossed = np.outer(errors, solved) / scale
        return np.asarray(inverse @ (crossed - weights[:, None] * inverse))

    return Score(-0.5 * float(logarithms.sum()), scale, slope)


CRITERIA: Mapping[str, Callable[[FloatArray, FloatArray], Score]] = {
    "likelihood": _likelihood,
    "leave-one-out": _leave_one_out,
}
