# SPDX-License-Identifier: MIT
"""Active learning: ask where the process is least certain, until predictions are accurate."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels import Kernel, kernel_of, noise_floor
from gplandmark.gp.regression.kriging import Prediction, checked_mean, checked_noise, krige
from gplandmark.gp.selection import Stop
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import function, real_number, whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

FEWEST = 5  # answers from which the scale of a function can be estimated


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was asked, what was answered, and what is known now.

    Attributes
    ----------
    indices : (m,) the points asked about, in order
    values : (m,) or (m, q) the answers
    surprises : (m,) how far each answer was from what was expected before it
    errors : (m,) standard deviation at the least certain point after each answer,
        s max_x sqrt(v(x))
    scale : s^2, by which a variance of the kernel is one of the values
    prediction : at all points, from all answers; its variance is in squared units of the values
    stopped : why no more was asked
    """

    indices: IndexArray
    values: FloatArray
    surprises: FloatArray
    errors: FloatArray
    scale: float
    prediction: Prediction
    stopped: Stop

    __repr__ = short_repr


@dataclass(frozen=True)
class _WithNoise:
    """K + noise I: at a point not yet observed, its variance is that of K plus the noise."""

    kernel: Kernel
    noise: float

    @property
    def size(self) -> int:
        return self.kernel.size

    @property
    def noise_floor(self) -> float:
        return noise_floor(self.kernel)  # of the entries, whatever the noise of the answers

    def diagonal(self) -> FloatArray:
        return self.kernel.diagonal() + self.noise

    def columns(self, indices: IndexArray) -> FloatArray:
        columns = np.array(self.kernel.columns(indices))
        columns[indices, np.arange(len(indices))] += self.noise
        return columns

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        same = rows[:, None] == columns
        return np.asarray(self.kernel.block(rows, columns) + self.noise * same)


def learn(
    kernel: Kernel,
    oracle: Callable[[int], Any],
    *,
    tolerance: float,
    count: int | None = None,
    noise: float = 0.0,
    mean: npt.ArrayLike = 0.0,
) -> Lesson:
    """Learn a function by asking for its values where they are least certain.

    The next point is x_{m+1} = argmax of v_m, equation (active-learning-rule); the estimate is
    that of `krige`. The kernel knows how certain a point is compared with others, but not how
    large the function is. Its scale is that of maximum likelihood,
    s^2 = (Y - m(X))^T (K(X, X) + noise)^-1 (Y - m(X)) / m, for several quantities that of the
    largest. Asking stops when s max_x sqrt(v_m(x)) is at most the tolerance, and not before 5
    answers.

    Parameters
    ----------
    kernel : over n points
    oracle : called with the number of a point, returns its value: a number, or q numbers, the
        same q every time. No point is asked about twice
    tolerance : standard deviation to stop at, in units of the values, above 0
    count : ask at most this often
    noise : variance of the error of an answer, in units of the kernel
    mean : m(x), the mean of the process: a number, (n,), or (n, q)

    Raises
    ------
    SettingsError
        A parameter is out of range, or the oracle returns anything but finite numbers, always
        equally many.
    """
    kernel = kernel_of(kernel)
    function(oracle, "The oracle")
    if not 0 < real_number(tolerance, "The tolerance") < np.inf:
        raise SettingsError(f"The tolerance must be above 0, got {tolerance}.")
    most = kernel.size if count is None else whole_number(count, "The count")
    if not 1 <= most <= kernel.size:
        raise SettingsError(f"The count must be from 1 to {kernel.size}, the points, got {count}.")
    noise = real_number(noise, "The noise")
    checked_noise(noise, 1)
    inquiry = _Inquiry(kernel, noise, mean)
    if not inquiry.largest() > 0:
        raise KernelError("The kernel is zero at every point: there is nothing to learn.")
    stopped = _ask_until(inquiry, oracle, tolerance, most)
    indices, values = np.array(inquiry.picks, dtype=np.int64), np.array(inquiry.answers)
    scale = inquiry.scale()
    found = krige(kernel, indices, values, noise=noise, mean=mean)
    return Lesson(
        indices,
        values,
        np.array(inquiry.surprises),
        np.array(inquiry.errors),
        scale,
        replace(found, variance=scale * found.variance),
        stopped,
    )


class _Inquiry:
    """All that was asked so far, and what follows from it for the next point."""

    def __init__(self, kernel: Kernel, noise: float, mean: npt.ArrayLike) -> None:
        self.search = FactoredSearch(_WithNoise(kernel, noise) if noise else kernel)
        self.noise = noise
        self.mean = mean
        self.picks: list[int] = []
        self.answers: list[FloatArray] = []
        self.whitened: list[FloatArray] = []  # surprises in units of their standard deviation
        self.surprises: list[float] = []
        self.errors: list[float] = []

    def largest(self) -> float:
        """Largest variance of a point not yet asked about."""
        return max(self.search.largest() - self.noise, 0.0)

    def scale(self) -> float:
        """s^2, the mean square of the whitened surprises, of the largest quantity."""
        return float(np.max(np.mean(np.square(self.whitened), axis=0)))

    def ask(self, oracle: Callable[[int], Any]) -> None:
        """Ask about the least certain point."""
        index = self.search.winner(None)
        answer = _checked_answer(oracle(index), index, self.answers)
        prior = checked_mean(self.mean, (self.search.kernel.size, *answer.shape))[index]
        whitened = np.reshape(self.whitened, (self.search.count, *answer.shape))
        expected = prior + self.search.rows[: self.search.count, index] @ whitened
        peak = self.search.condition(index)
        assert peak is not None  # the largest variance is not exhausted
        self.picks.append(index)
        self.answers.append(answer)
        self.whitened.append((answer - expected) / np.sqrt(peak))
        self.surprises.append(float(np.abs(answer - expected).max()))
        self.errors.append(float(np.sqrt(self.scale() * self.largest())))


def _ask_until(
    inquiry: _Inquiry, oracle: Callable[[int], Any], tolerance: float, count: int
) -> Stop:
    """Ask until there is a reason to stop, and return it."""
    while len(inquiry.picks) < count:
        if inquiry.largest() <= inquiry.search.noise * inquiry.search.initial:
            return Stop.RANK  # what is left is noise of the kernel's entries
        inquiry.ask(oracle)
        if len(inquiry.picks) >= FEWEST and inquiry.errors[-1] <= tolerance:
            return Stop.TARGET
    return Stop.COUNT


def _checked_answer(answer: Any, index: int, earlier: list[FloatArray]) -> FloatArray:
    try:
        array = np.asarray(answer, dtype=np.float64)
    except Exception:  # tensors raise what they like
        raise SettingsError(
            f"The oracle must return a number for vertex {index}, got {answer!r}."
        ) from None
    if not np.isfinite(array).all() or array.size == 0:
        raise SettingsError(
            f"The oracle returned {answer!r} for vertex {index}: no finite number to learn from."
        )
    if array.ndim > 1 or (earlier and array.shape != earlier[0].shape):
        expected = earlier[0].shape if earlier else "a number or a list of numbers"
        raise SettingsError(
            f"The oracle returned an answer of shape {array.shape} for vertex {index}, "
            f"expected {expected}."
        )
    return array
