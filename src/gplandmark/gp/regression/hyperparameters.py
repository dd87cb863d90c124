# SPDX-License-Identifier: MIT
"""Parameters of a kernel, noise and scale from observed values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypeAlias

import numpy as np

from gplandmark.errors import KernelError, SettingsError, warn
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.gp.kernels import Kernel, kernel_of
from gplandmark.gp.regression.criteria import CRITERIA
from gplandmark.gp.regression.parameter_search import ParameterSearch, member
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import finite_numbers, function, real_number
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.representation import short_repr, with_reason

Criterion: TypeAlias = Literal["likelihood", "leave-one-out"]

FEWEST = 3
ROUNDING = 1e-12  # values that differ relatively less are equal


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
    landmarks: npt.ArrayLike,
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

    They are maximised over the logarithms of the parameters. Multiples of the guess are tried, and
    up to three of them refined. A parameter stays between a millionth and a million times its
    guess, and a noise that is chosen between 1e-10 and 1000 times the mean variance of the first
    kernel at the landmarks. Parameters that the family refuses with a SettingsError, as out of
    their range, are passed over. So are covariances that are singular up to rounding.

    With G the derivative of the criterion by the entries of C, which has a formula, its gradient
    is sum_ij G_ij dC_ij, where the derivatives of the kernel's entries are differences. Beside
    singular covariances, where these are rounding, the search goes on without a gradient.

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
        A guess is not positive, the criterion is unknown, or values are wrong in number or all
        equal.
    KernelError
        No parameters near the guess make a covariance.

    Warns
    -----
    GplandmarkWarning
        The values do not determine a parameter, as pure noise does not.
    """
    observed = finite_numbers(values, "The observed values")
    guess = _checked_start(start)
    if criterion not in CRITERIA:
        raise SettingsError(f"There is no criterion '{criterion}'. Choose {' or '.join(CRITERIA)}.")
    _check_takes(family, start)
    first = kernel_of(member(family, start))
    indices = checked_landmarks(landmarks, first.size, least=FEWEST)
    if observed.shape != indices.shape:
        raise SettingsError(f"Expected {len(indices)} values, got shape {observed.shape}.")
    given = None if noise is None else real_number(noise, "The noise")
    if given is not None and not 0 <= given < np.inf:
        raise SettingsError(f"The noise is a variance and cannot be negative, got {given}.")
    _check_varied(observed)
    noise_unit = float(first.diagonal()[indices].mean())
    search = ParameterSearch(family, guess, indices, observed, given, noise_unit, criterion)
    search.run()
    if search.best is None or search.score is None:
        raise KernelError("No parameters near the guess make a covariance. Try another guess.")
    found, score = search.best, search.score
    if undetermined := list(search.undetermined()):
        warn(_hardly_determined(undetermined))
    chosen = search.named(found)
    return FittedKernel(
        kernel_of(member(family, chosen)), chosen, search.noise(found), score.scale, score.value
    )


def _check_takes(family: Callable[..., Any], start: Mapping[str, float]) -> None:
    function(family, "The family")
    try:
        signature(family).bind(**start)
    except TypeError as reason:
        what = f"The family does not take {', '.join(start)}"
        raise SettingsError(with_reason(what, reason)) from reason
    except ValueError:
        pass  # a compiled function does not say what it takes


def _check_varied(values: FloatArray) -> None:
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        raise SettingsError(
            "The observed values are all equal: nothing in them tells the parameters. "
            "Give values that differ, minus their mean."
        )


def _hardly_determined(names: list[str]) -> str:
    return (
        f"The values hardly determine {' and '.join(names)}: the search ended at its border, or "
        "ten times more or less explains them about as well. They may be noise; give more values, "
        "or another guess."
    )


def _checked_start(start: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(start, Mapping) or not start:
        raise SettingsError("Give a first guess of every parameter by its name, e.g. {'eps': 0.1}.")
    numbers = [real_number(each, f"The guess of {name}") for name, each in start.items()]
    if not all(0 < each < np.inf for each in numbers):
        raise SettingsError(f"The guess of every parameter must be positive, got {dict(start)}.")
    return dict(zip(start, numbers, strict=True))
