# SPDX-License-Identifier: MIT
"""Simple kriging: from values at landmarks to the best linear prediction everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import checked_landmarks, whiten
from gplandmark.gp.kernels import Kernel
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Prediction", "checked_mean", "checked_noise", "krige"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """What is expected at every point, and how far off it may be.

    Attributes
    ----------
    mean : (n,) or (n, q) the best linear predictor, in units of the values
    variance : (n,) its mean squared prediction error, in units of the kernel
    """

    mean: FloatArray
    variance: FloatArray


def krige(
    kernel: Kernel,
    landmarks: Sequence[int] | IndexArray,
    values: npt.ArrayLike,
    *,
    noise: float | FloatArray = 0.0,
    mean: npt.ArrayLike = 0.0,
) -> Prediction:
    """Predict values at all points from those at the landmarks.

    The best linear predictor, equation (blp), and its error, equation (prediction-error),

        Y*(x) = m(x) + k(x)^T (K(X, X) + noise)^-1 (Y - m(X))
        MSPE(x) = K(x, x) - k(x)^T (K(X, X) + noise)^-1 k(x),    k(x) = K(X, x).

    Without noise the error is the variance by which landmarks are selected.

    Parameters
    ----------
    kernel : over n points
    landmarks : (m,) observed points
    values : (m,) or (m, q) what was observed there; q quantities share one kernel
    noise : variance of the error of an observation in units of the kernel, one for all or (m,)
    mean : m(x), the mean of the process: a number, (n,), or (n, q)

    Raises
    ------
    SettingsError
        A landmark does not exist, values or mean are wrong in number or not finite, or the
        noise is negative.
    KernelError
        Without noise, a landmark is repeated or determined by those before it.
    """
    indices = checked_landmarks(landmarks, kernel.size)
    observed = _checked_values(values, len(indices))
    prior = checked_mean(mean, (kernel.size, *observed.shape[1:]))
    white = whiten(kernel, indices, checked_noise(noise, len(indices)))
    surprise = solve_triangular(white.factor, observed - prior[indices], lower=True)
    return Prediction(prior + white.rows.T @ surprise, white.variance)


def checked_noise(noise: float | FloatArray, count: int) -> float | FloatArray:
    """The noise, if it is one variance or one for each landmark, and none is negative."""
    array = np.asarray(noise, dtype=np.float64)
    if array.shape not in ((), (count,)):
        raise SettingsError(f"Expected one noise or {count}, one per landmark, got {array.shape}.")
    if not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError(f"The noise is a variance and cannot be negative, got {array.min()}.")
    return array


def checked_mean(mean: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Mean of the process at every point, in the shape of the prediction."""
    array = _numbers(mean, "The mean")
    if array.shape == shape[:1] and len(shape) == 2:
        array = array[:, None]
    if array.shape not in ((), shape, (shape[0], 1)[: len(shape)]):
        raise SettingsError(
            f"The mean must be a number or of shape {shape}, one per point and value, "
            f"got {array.shape}."
        )
    return np.array(np.broadcast_to(array, shape))


def _checked_values(values: npt.ArrayLike, count: int) -> FloatArray:
    array = _numbers(values, "The observed values")
    if array.ndim not in (1, 2) or len(array) != count:
        raise SettingsError(
            f"Expected {count} observed values, one per landmark, got shape {array.shape}."
        )
    return array


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SettingsError(f"{what} must be numbers.") from None
    if not np.isfinite(array).all():
        raise SettingsError(f"{what} must be finite: NaN or infinity is no observation.")
    return array
