# SPDX-License-Identifier: MIT
"""A search that keeps the whole Cholesky factor: for any kernel, at n x m numbers of memory."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import ConditionedProcess
from gplandmark.gp.kernels import Kernel, columns_together, kernel_of
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection.result import TIE, Selection, Stop
from gplandmark.gp.selection.ties import choose_tied
from gplandmark.numerics.arguments import seed_number, whole_number
from gplandmark.numerics.arrays import FloatArray

MOST_AHEAD = 32  # columns computed together
FEWEST_CANDIDATES = 100


class FactoredSearch(ConditionedProcess):
    """A conditioned process that finds its own landmarks, among the allowed points."""

    exhausted = Stop.RANK
    pick = ConditionedProcess.condition
    ahead: Mapping[int, FloatArray] = MappingProxyType({})  # columns that are already there

    def column(self, index: int) -> FloatArray:
        """Covariance of every point with one, shape (n,).

        Where the kernel has many columns for little more than one, those that will probably be
        picked next are computed as well. A wrong guess costs time and changes nothing.
        """
        if not columns_together(self.kernel):
            return super().column(index)
        if index not in self.ahead:
            guessed = self._next_picks(index)
            self.ahead = dict(zip(guessed, self.kernel.columns(np.array(guessed)).T, strict=True))
        return self.ahead[index]

    def _next_picks(self, first: int) -> list[int]:
        """What would be picked from `first` on if only the points of largest variance counted."""
        most = min(MOST_AHEAD, self.room - self.count)
        shown = np.where(self.allowed, self.variances, -1.0)
        shown[first] = np.inf
        best = np.argsort(-shown, kind="stable")[: max(FEWEST_CANDIDATES, len(shown) // 100)]
        if most < 2 or len(best) == len(shown):
            return [first]
        outside = float(np.delete(shown, best).max())
        known = self.rows[: self.count, best]
        left = self.kernel.block(best, best) - known.T @ known
        picks, at = [first], 0
        while len(picks) < most:
            left -= np.outer(left[at], left[:, at] / left[at, at])
            at = int(left.diagonal().argmax())
            if left[at, at] <= max(outside, self.noise * self.initial) or best[at] in picks:
                break
            picks.append(int(best[at]))
        return picks

    def winner(self, random: "np.random.Generator | None") -> int:
        """The candidate of largest variance; of those that tie, one by position or at random."""
        tied = np.flatnonzero(self.allowed & (self.variances >= (1 - TIE) * self.largest()))
        return choose_tied(tied, self.kernel, random)

    def restore(self, selection: Selection, factor: FloatArray) -> None:
        """Go on from a selection with its factor (m, n), without asking for columns again."""
        self.rows = factor.copy()
        self.count = len(selection.indices)
        self.variances = selection.variance.copy()
        self.allowed[selection.indices] = False

    def variance(self) -> FloatArray:
        """Variance left at every point, shape (n,)."""
        return self.variances

    def factor(self) -> FloatArray | None:
        """Rows of the factor, shape (m, n)."""
        return self.rows[: self.count]


def randomly_pivoted(kernel: Kernel, count: int, seed: "int | np.random.Generator") -> Selection:
    """Pick points at random, each with a probability proportional to its variance.

    The randomly pivoted Cholesky decomposition of Chen, Epperly, Tropp and Webber:
    P(x_{m+1} = x) = v_m(x) / sum of v_m. It looks after the mean of the variance where the
    greedy rule looks after its maximum.

    Parameters
    ----------
    kernel : over n points
    count : points wanted; fewer come back from a kernel of lower rank
    seed : equal seeds give equal picks; or a generator of NumPy

    Returns
    -------
    Selection
        Its `variances` are those of the picks just before, and need not fall.

    Raises
    ------
    SettingsError
        The count is below 1 or above the number of points, or the seed is negative.
    """
    kernel = kernel_of(kernel)
    if not 1 <= whole_number(count, "The number of landmarks") <= kernel.size:
        raise SettingsError(
            f"The number of landmarks must be from 1 to {kernel.size}, got {count}."
        )
    random = np.random.default_rng(seed_number(seed))
    search = FactoredSearch(kernel, None, count)
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
