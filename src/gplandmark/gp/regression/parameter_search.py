# SPDX-License-Identifier: MIT
"""Where a criterion is largest, as a function of the logarithms of parameters."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from gplandmark.errors import GplandmarkError, KernelError, SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.kernels.supplied import unchecked_kernel
from gplandmark.gp.regression.criteria import Score, scored
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import with_reason

DECADE = float(np.log(10))
STRIDE = DECADE / 2  # between the multiples of the guess that are tried
TRIED = 4  # of them on both sides of the guess; more if that is not enough
WIDEST = 12  # strides that a parameter may move from its guess
NOISES = (1e-2, 1e-5, 1.0)  # of the mean variance, tried with each multiple of the guess
QUIETEST, LOUDEST = np.log(1e-10), np.log(1e3)  # noise relative to the mean variance
REFINED = 3  # beginnings at most that are refined
EQUAL = 1.0  # scores that differ by less explain the values about equally well
PENALTY = 10.0  # added to the largest loss so far where there is no covariance
NEAR = 0.1  # of a logarithm, to a border
STEP = 1e-7  # of a logarithm, for differences of entries


def member(family: Callable[..., Any], parameters: Mapping[str, float]) -> Any:
    """What the family returns for parameters; its exceptions become one sentence."""
    try:
        return family(**parameters)
    except GplandmarkError:
        raise
    except Exception as reason:
        given = ", ".join(f"{name}={value:g}" for name, value in parameters.items())
        what = f"The family raised {type(reason).__name__} for {given}"
        raise KernelError(with_reason(what, reason)) from reason


@dataclass
class ParameterSearch:
    """The criterion, the noise last if unknown, and the best that was evaluated so far."""

    family: Callable[..., Any]
    guess: dict[str, float]
    indices: IndexArray
    values: FloatArray
    given_noise: float | None
    noise_unit: float
    criterion: str
    best: FloatArray | None = None
    score: Score | None = None
    worst: float = field(default=-np.inf)  # the largest finite loss
    failures: int = 0  # how often there was no covariance

    @property
    def bounds(self) -> FloatArray:
        """Lowest and highest logarithm of every parameter, shape (p, 2)."""
        guess = np.log(list(self.guess.values()))
        bounds = np.column_stack([guess - WIDEST * STRIDE, guess + WIDEST * STRIDE])
        return bounds if self.given_noise is not None else np.vstack([bounds, [QUIETEST, LOUDEST]])

    def named(self, logarithms: FloatArray) -> dict[str, float]:
        """Parameters of the family."""
        numbers = np.exp(logarithms[: len(self.guess)]).tolist()
        return dict(zip(self.guess, numbers, strict=True))

    def noise(self, logarithms: FloatArray) -> float:
        """Variance of the error of an observation."""
        if self.given_noise is not None:
            return self.given_noise
        return self.noise_unit * float(np.exp(logarithms[-1]))

    def covariance(self, logarithms: FloatArray) -> FloatArray | None:
        """K(X, X), shape (m, m); None if the family refuses the parameters, as out of range."""
        try:
            kernel: Kernel = unchecked_kernel(member(self.family, self.named(logarithms)))
        except SettingsError:
            return None
        return kernel.block(self.indices, self.indices)

    def height(self, logarithms: FloatArray, among: FloatArray | None = None) -> float:
        """The criterion; minus infinity if the parameters make no covariance."""
        score = self._scored(logarithms, self.covariance(logarithms) if among is None else among)
        return -np.inf if score is None else score.value

    def _scored(self, logarithms: FloatArray, among: FloatArray | None) -> Score | None:
        score = None
        if among is not None:
            noise = self.noise(logarithms)
            score = scored(among, self.values, noise, self.criterion)
        if score is None or not np.isfinite(score.value):
            self.failures += 1
            return None
        if self.score is None or score.value > self.score.value:
            self.best, self.score = logarithms.copy(), score
        self.worst = max(self.worst, -score.value)
        return score

    def loss(self, logarithms: FloatArray) -> tuple[float, FloatArray]:
        """The negative criterion and its gradient.

        Without a covariance it is a little more than the largest so far, so that the line search
        returns from there.
        """
        among = self.covariance(logarithms)
        score = self._scored(logarithms, among)
        gradient = np.zeros(len(logarithms))
        if score is None or among is None:
            return self.worst + PENALTY, gradient
        slope = score.slope()
        for k in range(len(self.guess)):
            beside = self.covariance(logarithms + STEP * (np.arange(len(logarithms)) == k))
            gradient[k] = 0.0 if beside is None else np.vdot(slope, beside - among) / STEP
        if self.given_noise is None:
            gradient[-1] = self.noise(logarithms) * np.trace(slope)
        return -score.value, -gradient

    def run(self) -> None:
        """Refine the best few of the multiples of the guess; `best` and `score` are the answer."""
        for begin in self._beginnings():
            failures = self.failures
            found = scipy.optimize.minimize(
                self.loss, begin, jac=True, method="L-BFGS-B", bounds=self.bounds
            )
            if self.failures > failures or not found.success:
                self._climb_without_gradient()

    def _climb_without_gradient(self) -> None:
        """Go on from the best: beside singular covariances, gradients are mostly rounding."""
        assert self.best is not None  # the beginnings have scores
        corners = self.best + 0.3 * np.vstack([np.zeros(len(self.best)), np.eye(len(self.best))])
        scipy.optimize.minimize(
            lambda logarithms: min(-self.height(logarithms), self.worst + PENALTY),
            self.best,
            method="Nelder-Mead",
            bounds=self.bounds,
            options={"initial_simplex": np.clip(corners, *self.bounds.T), "xatol": 1e-4},
        )

    def _beginnings(self) -> list[FloatArray]:
        """Where to begin: the multiples of the guess that are better than those beside them."""
        tried = {factor: self._best_of_noises(factor) for factor in range(-TRIED, TRIED + 1)}
        if self._leads_on(tried):
            beyond = {*range(-WIDEST, WIDEST + 1)} - {*tried}
            tried |= {factor: self._best_of_noises(factor) for factor in beyond}
        heights = {factor: height for factor, (height, _) in tried.items()}
        peaks = [
            factor
            for factor, height in heights.items()
            if np.isfinite(height)
            and height >= max(heights.get(factor + beside, -np.inf) for beside in (-1, 1))
        ]
        best = sorted(peaks, key=lambda factor: -heights[factor])[:REFINED]
        return [tried[factor][1] for factor in best]

    def _leads_on(self, tried: dict[int, tuple[float, FloatArray]]) -> bool:
        """Whether the best multiple of the guess may lie beyond those that were tried."""
        outermost = max(tried[-TRIED][0], tried[TRIED][0])
        return outermost >= max(height for height, _ in tried.values()) - EQUAL

    def _best_of_noises(self, factor: int) -> tuple[float, FloatArray]:
        """Height and logarithms of a multiple of the guess, with the best noise."""
        moved = np.log(list(self.guess.values())) + factor * STRIDE
        among = self.covariance(moved)
        begins = [moved]
        if self.given_noise is None:
            begins = [np.append(moved, np.log(each)) for each in NOISES]
        if among is None:
            return -np.inf, begins[0]
        heights = [self.height(each, among) for each in begins]
        return max(heights), begins[int(np.argmax(heights))]

    def undetermined(self) -> list[str]:
        """Parameters at the border of the search; if the values are like noise, all that are free.

        A noise of nearly 0 is no cause for concern.
        """
        names = [*self.guess, "noise"][: len(self.bounds)]
        beside = [list(self._beside(k)) for k in range(len(names))]
        at_border = [any(map(self._is_near_best, moved)) for moved in beside]
        free = [any(map(self._explains_equally, moved)) for moved in beside]
        known = at_border if not all(free[: len(self.guess)]) else free
        return [name for name, is_listed in zip(names, known, strict=True) if is_listed]

    def _beside(self, k: int) -> Iterator[FloatArray]:
        """The best with one parameter ten times as large, and as small, within the bounds."""
        assert self.best is not None
        for direction in (1.0,) if k == len(self.guess) else (1.0, -1.0):
            moved = self.best.copy()
            moved[k] = np.clip(moved[k] + direction * DECADE, *self.bounds[k])
            yield moved

    def _is_near_best(self, logarithms: FloatArray) -> bool:
        assert self.best is not None
        return bool(np.abs(logarithms - self.best).max() < NEAR)

    def _explains_equally(self, logarithms: FloatArray) -> bool:
        assert self.score is not None
        return self.height(logarithms) > self.score.value - EQUAL
