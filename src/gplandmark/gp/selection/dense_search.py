# SPDX-License-Identifier: MIT
"""A search that keeps the whole Cholesky factor: for any kernel, at n x m numbers of memory."""

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.limits import check_memory, noise_floor
from gplandmark.gp.selection.result import TIE, Selection, Stop
from gplandmark.numerics.arrays import BoolArray, FloatArray

__all__ = ["FactoredSearch", "randomly_pivoted"]

DIP = 1e-5  # of the largest variance: kernels in single precision pass


class FactoredSearch:
    """Variance and factor rows of all points, brought up to date after every pick.

    Asks of its kernel the diagonal and one column per pick, nothing else. Time O(n m) per pick.
    """

    exhausted = Stop.RANK

    def __init__(self, kernel: Kernel, allowed: BoolArray, room: int | None = None) -> None:
        self.kernel = kernel
        self.noise = noise_floor(kernel)  # variance below this share of the initial one is noise
        self.allowed = allowed.copy()
        self.variances = kernel.diagonal()
        self.initial = float(self.variances[allowed].max())
        self.count = 0
        self.room = room or 64
        self.rows = np.zeros((0, kernel.size))  # made when the first point is taken

    def bytes_per_landmark(self) -> float:
        """Memory that one more landmark takes: a row of the factor."""
        return 8.0 * self.kernel.size

    def largest(self) -> float:
        """Largest variance of a candidate that is left."""
        return float(np.max(self.variances, where=self.allowed, initial=0.0))

    def winner(self, random: np.random.Generator | None) -> int:
        """The candidate of largest variance; of those that tie, the lowest or a random one."""
        tied = np.flatnonzero(self.allowed & (self.variances >= (1 - TIE) * self.largest()))
        return int(tied[0] if random is None else random.choice(tied))

    def condition(self, index: int) -> float | None:
        """Take a point and return its variance; None if those before it determine it."""
        peak = float(self.variances[index])
        if peak <= self.noise * self.initial:
            return None
        m = self.count
        if m == len(self.rows):
            more = np.zeros((max(self.room - m, m, 1), self.kernel.size))
            self.rows = np.vstack([self.rows, more])
        column = self.kernel.columns(np.array([index]))[:, 0]
        self.rows[m] = (column - self.rows[:m, index] @ self.rows[:m]) / np.sqrt(peak)
        left = self.variances - self.rows[m] ** 2
        self._check(left)
        self.variances = np.maximum(left, 0.0)
        self.variances[index] = 0.0
        self.allowed[index] = False
        self.count += 1
        return peak

    pick = condition

    def points(self) -> FloatArray | None:
        """None: every pick is a vertex."""
        return None

    def _check(self, left: FloatArray) -> None:
        """Refuse what no covariance leaves; rounding may dip below 0."""
        lowest = float(left.min())
        if not lowest >= -DIP * self.initial:  # also when it is not a number
            raise KernelError(
                f"The kernel is not positive semidefinite: after {self.count + 1} landmarks the "
                f"variance of point {left.argmin()} would be {lowest:g}."
            )

    def resume(self, selection: Selection) -> None:
        """Go on from where a selection stopped, without asking for its columns again."""
        if selection.factor is None:
            for index in selection.indices:
                self.condition(int(index))
            return
        self.rows = selection.factor.copy()
        self.count = len(selection.indices)
        self.variances = selection.variance.copy()
        self.allowed[selection.indices] = False

    def variance(self) -> FloatArray:
        """Variance left at every point, shape (n,)."""
        return self.variances

    def factor(self) -> FloatArray | None:
        """Rows of the factor, shape (m, n)."""
        return self.rows[: self.count]


def randomly_pivoted(kernel: Kernel, count: int, seed: int) -> Selection:
    """Pick points at random, each with a probability proportional to its variance.

    The randomly pivoted Cholesky decomposition of Chen, Epperly, Tropp and Webber:
    P(x_{m+1} = x) = v_m(x) / sum of v_m. It looks after the mean of the variance where the
    greedy rule looks after its maximum.

    Parameters
    ----------
    kernel : over n points
    count : points wanted; fewer come back from a kernel of lower rank
    seed : equal seeds give equal picks

    Returns
    -------
    Selection
        Its `variances` are those of the picks just before, and need not fall.

    Raises
    ------
    SettingsError
        The count is below 1 or above the number of points, or the seed is negative.
    """
    if not 1 <= count <= kernel.size:
        raise SettingsError(
            f"The number of landmarks must be from 1 to {kernel.size}, got {count}."
        )
    if seed < 0:
        raise SettingsError(f"The seed must be 0 or more, got {seed}.")
    random = np.random.default_rng(seed)
    search = FactoredSearch(kernel, np.ones(kernel.size, dtype=bool), count)
    check_memory(kernel.size, search.bytes_per_landmark(), count)
    picks: list[int] = []
    variances: list[float] = []
    floor = search.noise * search.initial
    while len(picks) < count and search.largest() > floor:
        chances = np.where(search.allowed & (search.variances > floor), search.variances, 0.0)
        picks.append(int(random.choice(kernel.size, p=chances / chances.sum())))
        variances.append(float(search.variances[picks[-1]]))
        search.condition(picks[-1])
    return Selection(
        np.array(picks, dtype=np.int64),
        np.array(variances),
        search.variance(),
        search.factor(),
        search.initial,
        search.noise,
        Stop.COUNT if len(picks) == count else Stop.RANK,
    )
