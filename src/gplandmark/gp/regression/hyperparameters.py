# SPDX-License-Identifier: MIT
"""Parameters of a kernel, noise and scale from observed values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.gp.kernels import Kernel, kernel_of
from gplandmark.numerics.arguments import finite_numbers, function, real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

Criterion: TypeAlias = Literal["likelihood", "leave-one-out"]

STARTS = (1.0, 0.1, 10.0)  # factors of the first guess from which a search begins
WIDEST = np.log(1e6)  # how far a parameter may move from its guess, as a logarithm
QUIETEST, LOUDEST = np.log(1e-10), np.log(1e3)  # noise relative to the mean variance
FEWEST = 3


@dataclass(frozen=True, eq=False)
class FittedKernel:
    """Parameters that explain observed values best.

    Attributes
    ----------
    kernel : with these parameters, over n points
    parameters : of the kernel, by name
    noise : variance of the error of an observation, in units of the kernel, as `krige` takes it
    scale : s^2, by which a variance of the kernel is one of the values
    score : logarithm of the density of the values under the criterion, the larger the better
    """

    kernel: Kernel
    parameters: Mapping[str, float]
    noise: float
    scale: float
    score: float

    __repr__ = short_repr


def fit_kernel(
    family: Callable[..., Any],
    landmarks: Sequence[int] | IndexArray,
    values: npt.ArrayLike,
    *,
    start: Mapping[str, float],
    noise: float | None = None,
    criterion: Criterion = "likelihood",
) -> FittedKernel:
    """Choose the parameters of a kernel, such as its bandwidth or smoothness, from values.

    With C = K(X, X) + noise and s^2 the best scale, which has a formula, the criteria are

        likelihood      log p(Y),                        Y normal with covariance s^2 C
        leave-one-out   sum_i log p(Y_i | all others),   by Y_i - [C^-1 Y]_i / [C^-1]_ii

    They are maximised over the logarithms of the parameters, from three starts, with gradients by
    differences.

    Parameters
    ----------
    family : from positive parameters, given by name, to a kernel over n points
    landmarks : (m,) observed points
    values : (m,) what was observed there, minus the mean of the process
    start : a first guess of every parameter, by name
    noise : variance of the error of an observation in units of the kernel; None to choose it, too
    criterion : "likelihood" or "leave-one-out"

    Raises
    ------
    SettingsError
        A guess is not positive, the criterion is unknown, or values are wrong in number.
    KernelError
        No parameters near the guess make a covariance.
    """
    observed = finite_numbers(values, "The observed values")
    guess = _checked_start(start)
    if criterion not in CRITERIA:
        raise SettingsError(f"There is no criterion '{criterion}'. Choose {' or '.join(CRITERIA)}.")
    try:
        first = kernel_of(function(family, "The family")(**start))
    except TypeError as reason:
        raise SettingsError(f"The family does not take {', '.join(start)}: {reason}.") from reason
    indices = checked_landmarks(landmarks, first.size, least=FEWEST)
    if observed.shape != indices.shape:
        raise SettingsError(f"Expected {len(indices)} values, got shape {observed.shape}.")
    given = None if noise is None else real_number(noise, "The noise")
    if given is not None and not 0 <= given < np.inf:
        raise SettingsError(f"The noise is a variance and cannot be negative, got {given}.")
    size = float(first.diagonal()[indices].mean())

    def parts(logarithms: FloatArray) -> tuple[dict[str, float], float]:
        chosen = dict(zip(start, np.exp(logarithms[: len(guess)]).tolist(), strict=True))
        return chosen, size * float(np.exp(logarithms[-1])) if given is None else given

    def loss(logarithms: FloatArray) -> float:
        chosen, error = parts(logarithms)
        score, _ = _scored(kernel_of(family(**chosen)), indices, observed, error, criterion)
        return -score

    bounds = [(each - WIDEST, each + WIDEST) for each in guess]
    bounds += [(QUIETEST, LOUDEST)] if given is None else []
    found = [
        scipy.optimize.minimize(loss, begin, method="L-BFGS-B", bounds=bounds)
        for begin in (_begin(guess, factor, given) for factor in STARTS)
    ]
    best = min(found, key=lambda each: float(each.fun))
    if not best.fun < WORST:
        raise KernelError("No parameters near the guess make a covariance. Try another guess.")
    chosen, error = parts(best.x)
    kernel = kernel_of(family(**chosen))
    score, scale = _scored(kernel, indices, observed, error, criterion)
    return FittedKernel(kernel, chosen, error, scale, score)


def _begin(guess: FloatArray, factor: float, noise: float | None) -> FloatArray:
    moved = guess + np.log(factor)
    return moved if noise is not None else np.append(moved, np.log(0.01))


def _checked_start(start: Mapping[str, float]) -> FloatArray:
    if not isinstance(start, Mapping) or not start:
        raise SettingsError("Give a first guess of every parameter by its name, e.g. {'eps': 0.1}.")
    numbers = [real_number(each, f"The guess of {name}") for name, each in start.items()]
    if not all(0 < each < np.inf for each in numbers):
        raise SettingsError(f"The guess of every parameter must be positive, got {dict(start)}.")
    return np.log(numbers)


WORST = 1e25  # loss of parameters that make no covariance


def _scored(
    kernel: Kernel, indices: IndexArray, values: FloatArray, noise: float, criterion: str
) -> tuple[float, float]:
    """Score and scale of a kernel."""
    has_block = hasattr(kernel, "block")  # the least that selection asks for is a column
    among = kernel.block(indices, indices) if has_block else kernel.columns(indices)[indices]
    covariance = among + noise * np.eye(len(indices))
    factor, failed = scipy.linalg.lapack.dpotrf(covariance, lower=1)
    if failed or not np.isfinite(factor).all():
        return -WORST, np.nan
    return CRITERIA[criterion](factor, values)


def _likelihood(factor: FloatArray, values: FloatArray) -> tuple[float, float]:
    white = scipy.linalg.solve_triangular(factor, values, lower=True)
    scale = max(float(np.mean(white**2)), np.finfo(float).tiny)
    determinant = 2 * float(np.log(np.diag(factor)).sum())
    return -0.5 * (len(values) * (np.log(2 * np.pi * scale) + 1) + determinant), scale


def _leave_one_out(factor: FloatArray, values: FloatArray) -> tuple[float, float]:
    inverse = scipy.linalg.cho_solve((factor, True), np.eye(len(values)))
    precision = np.diag(inverse)
    errors = (inverse @ values) / precision
    scale = max(float(np.mean(errors**2 * precision)), np.finfo(float).tiny)
    logarithms = np.log(2 * np.pi * scale / precision) + errors**2 * precision / scale
    return -0.5 * float(logarithms.sum()), scale


CRITERIA: Mapping[str, Callable[[FloatArray, FloatArray], tuple[float, float]]] = {
    "likelihood": _likelihood,
    "leave-one-out": _leave_one_out,
}
