# SPDX-License-Identifier: MIT
"""The process given observations: covariance between points, and samples."""

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import DIP, checked_landmarks, whiten
from gplandmark.gp.kernels import Kernel, kernel_of, positions
from gplandmark.gp.kernels.foreign import FunctionKernel
from gplandmark.gp.regression.kriging import Prediction, checked_noise, krige
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import finite_numbers, real_number, seed_number, whole_number
from gplandmark.numerics.arrays import FloatArray


def posterior_covariance(
    kernel: Kernel,
    landmarks: npt.ArrayLike,
    at: npt.ArrayLike,
    *,
    noise: float | FloatArray = 0.0,
) -> FloatArray:
    """Covariance (a, a) of the process at some points, given observations at the landmarks.

        C(A, A) = K(A, A) - K(A, X) (K(X, X) + noise)^-1 K(X, A)

    Its diagonal is the variance of `krige`.

    Parameters
    ----------
    kernel : over n points, or what `as_kernel` takes
    landmarks : (m,) observed points
    at : (a,) points
    noise : variance of the error of an observation, one for all or (m,)
    """
    kernel = kernel_of(kernel)
    points = checked_landmarks(at, kernel.size, least=1, what="Points")
    indices = checked_landmarks(landmarks, kernel.size, least=1)
    white = whiten(kernel, indices, checked_noise(noise, len(indices)))
    rows = white.rows[:, points]
    covariance = kernel.columns(points)[points] - rows.T @ rows
    return np.asarray((covariance + covariance.T) / 2)


def posterior_samples(
    kernel: Kernel,
    landmarks: npt.ArrayLike,
    values: npt.ArrayLike,
    at: npt.ArrayLike,
    *,
    count: int = 1,
    seed: "int | np.random.Generator" = 0,
    noise: float | FloatArray = 0.0,
    mean: npt.ArrayLike = 0.0,
) -> FloatArray:
    """Draw functions from the process given observations; their values at some points, (count, a).

    Parameters
    ----------
    kernel, landmarks, noise, mean : as for `krige`
    values : (m,) what was observed
    at : (a,) points
    count : how many functions
    seed : equal seeds give equal samples; a generator of NumPy gives others each time
    """
    if whole_number(count, "The number of samples") < 1:
        raise SettingsError(f"The number of samples must be at least 1, got {count}.")
    random = np.random.default_rng(seed_number(seed))
    kernel = kernel_of(kernel)
    points = checked_landmarks(at, kernel.size, least=1, what="Points")
    expected = krige(kernel, landmarks, values, noise=noise, mean=mean).mean
    if expected.ndim != 1:
        raise SettingsError("Samples are of one quantity: give values of shape (m,).")
    covariance = posterior_covariance(kernel, landmarks, points, noise=noise)
    variances, axes = np.linalg.eigh(covariance)
    if not variances[0] >= -DIP * len(points) * float(kernel.diagonal().max()):
        raise KernelError(
            "The kernel is not positive semidefinite: given the observations, the covariance of "
            f"the points has the eigenvalue {variances[0]:g}."
        )
    root = axes * np.sqrt(np.maximum(variances, 0.0))  # rounding may dip below 0
    normal = random.standard_normal((count, len(points)))
    return np.asarray(expected[points] + normal @ root.T)


def krige_at(
    kernel: Kernel,
    landmarks: npt.ArrayLike,
    values: npt.ArrayLike,
    points: npt.ArrayLike,
    *,
    noise: float | FloatArray = 0.0,
    mean: float = 0.0,
) -> Prediction:
    """Predict values at points that need not be vertices, for kernels with a formula in space.

    Parameters
    ----------
    kernel, landmarks, values, noise : as for `krige`
    points : (a, d) where to predict
    mean : of the process, a number

    Raises
    ------
    KernelError
        The kernel is known at its own points only.
    """
    kernel = kernel_of(kernel)
    known, between = positions(kernel), getattr(kernel, "between", None)
    if known is None or between is None:
        raise KernelError("This kernel is known at its own points only. Use krige.")
    asked = finite_numbers(points, "The points")
    if asked.ndim != 2 or asked.shape[1:] != known.shape[1:]:
        raise SettingsError(f"Expected points of shape (a, {known.shape[1]}), got {asked.shape}.")
    indices = checked_landmarks(landmarks, kernel.size, least=1)
    both = np.vstack([known[indices], asked])
    part = FunctionKernel(between, both)
    centred = finite_numbers(values, "The observed values") - real_number(mean, "The mean")
    first = np.arange(len(indices))
    found = krige(part, first, centred, noise=noise)
    return Prediction(found.mean[len(first) :] + mean, found.variance[len(first) :])
