# SPDX-License-Identifier: MIT
"""Parameters of a kernel, noise and scale from observed values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.gp.kernels import Kernel, kernel_of
from gplandmark.gp.kernels.supplied import unchecked_kernel
from gplandmark.gp.regression.criteria import CRITERIA, Score, scored
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import finite_numbers, function, real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

Criterion: TypeAlias = Literal["likelihood", "leave-one-out"]

STARTS = (1.0, 0.01, 0.1, 10.0, 100.0)  # factors of the first guess that are tried
NOISES = (1e-2, 1e-5, 1.0)  # of the mean variance, tried with each of them
WIDEST = np.log(1e6)  # how far a parameter may move from its guess, as a logarithm
QUIETEST, LOUDEST = np.log(1e-10), np.log(1e3)  # noise relative to the mean variance
FEWEST = 3
WORST = 1e25  # loss of parameters that make no covariance
STEP = 1e-7  # of a logarithm, for differences of entries


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

    They are maximised over the logarithms of the parameters, from the best of some multiples of the
    guess. With G the derivative of the criterion by the entries of C, which has a formula, its
    gradient is sum_ij G_ij dC_ij, where the derivatives of the kernel's entries are differences.

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
    noise_unit = float(first.diagonal()[indices].mean())
    search = _Search(family, tuple(start), indices, observed, given, noise_unit, criterion)
    begin = max(_beginnings(guess, given), key=search.height)
    bounds = [(each - WIDEST, each + WIDEST) for each in guess]
    bounds += [(QUIETEST, LOUDEST)] if given is None else []
    best = scipy.optimize.minimize(search.loss, begin, jac=True, method="L-BFGS-B", bounds=bounds)
    score = search.score(best.x)
    if score is None:
        raise KernelError("No parameters near the guess make a covariance. Try another guess.")
    chosen = search.named(best.x)
    return FittedKernel(
        kernel_of(family(**chosen)), chosen, search.noise(best.x), score.scale, score.value
    )


@dataclass(frozen=True)
class _Search:
    """The criterion as a function of the logarithms of parameters, the noise last if unknown."""

    family: Callable[..., Any]
    names: tuple[str, ...]
    indices: IndexArray
    values: FloatArray
    given_noise: float | None
    noise_unit: float
    criterion: str

    def named(self, logarithms: FloatArray) -> dict[str, float]:
        """Parameters of the family."""
        numbers = np.exp(logarithms[: len(self.names)]).tolist()
        return dict(zip(self.names, numbers, strict=True))

    def noise(self, logarithms: FloatArray) -> float:
        """Variance of the error of an observation."""
        if self.given_noise is not None:
            return self.given_noise
        return self.noise_unit * float(np.exp(logarithms[-1]))

    def covariance(self, logarithms: FloatArray) -> FloatArray:
        """K(X, X), shape (m, m)."""
        kernel = unchecked_kernel(self.family(**self.named(logarithms)))
        if hasattr(kernel, "block"):
            return kernel.block(self.indices, self.indices)
        return kernel.columns(self.indices)[self.indices]  # the least that a kernel must have

    def score(self, logarithms: FloatArray, among: FloatArray | None = None) -> Score | None:
        """Score of some parameters; None if they make no covariance."""
        among = self.covariance(logarithms) if among is None else among
        return scored(among, self.values, self.noise(logarithms), self.criterion)

    def height(self, logarithms: FloatArray) -> float:
        """The criterion alone."""
        score = self.score(logarithms)
        return -np.inf if score is None else score.value

    def loss(self, logarithms: FloatArray) -> tuple[float, FloatArray]:
        """The negative criterion and its gradient."""
        among = self.covariance(logarithms)
        score = self.score(logarithms, among)
        gradient = np.zeros(len(logarithms))
        if score is None:
            return WORST, gradient
        slope = score.slope()
        for k in range(len(self.names)):
            beside = logarithms + STEP * (np.arange(len(logarithms)) == k)
            gradient[k] = np.vdot(slope, self.covariance(beside) - among) / STEP
        if self.given_noise is None:
            gradient[-1] = self.noise(logarithms) * np.trace(slope)
        return -score.value, -gradient


def _beginnings(guess: FloatArray, noise: float | None) -> Iterator[FloatArray]:
    """Where a search may begin: multiples of the guess, each with several noises."""
    for factor in STARTS:
        moved = guess + np.log(factor)
        if noise is not None:
            yield moved
        else:
            yield from (np.append(moved, np.log(each)) for each in NOISES)


def _checked_start(start: Mapping[str, float]) -> FloatArray:
    if not isinstance(start, Mapping) or not start:
        raise SettingsError("Give a first guess of every parameter by its name, e.g. {'eps': 0.1}.")
    numbers = [real_number(each, f"The guess of {name}") for name, each in start.items()]
    if not all(0 < each < np.inf for each in numbers):
        raise SettingsError(f"The guess of every parameter must be positive, got {dict(start)}.")
    return np.log(numbers)
