# SPDX-License-Identifier: MIT
"""Algorithm 1 from its eleventh step on: pick where the variance is largest, condition, repeat."""

from collections.abc import Sequence

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import KernelError, SettingsError
from gplandmark.kernel import Kernel
from gplandmark.selection.selection import Progress, Selection, Stop

__all__ = ["NOISE", "TIE", "select"]

NOISE = 256 * float(np.finfo(float).eps)
"""Variance below this share of the initial one is rounding noise."""

TIE = 1e-9
"""Variances that differ by less than this share of the larger are equal."""


def select(
    kernel: Kernel,
    count: int | None = None,
    *,
    target: float = 0.0,
    start: Sequence[int] | IndexArray = (),
    candidates: BoolArray | None = None,
    seed: int | None = None,
    noise: float = NOISE,
    after: Selection | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Pick points one by one, each where the Gaussian process is least certain.

    After m picks the variance at x is, by equation (uncertainty-score),

        v_m(x) = K(x, x) - K(x, X)^T K(X, X)^-1 K(x, X) = K(x, x) - sum_{i <= m} L_i(x)^2

    with X the picks and L the Cholesky factor of K pivoted by the largest v. Only the
    diagonal and the picked columns of K are asked for. Time O(n m^2), memory O(n m).

    Parameters
    ----------
    kernel : over n points
    count : points wanted in all, starting points included; None for as many as it takes
    target : stop when the largest variance of a candidate is at most this share of its
        initial value
    start : points that come first, in this order; the search is conditioned on them. One
        that is determined by those before it is skipped
    candidates : (n,) which points may be picked; the others are never picked and do not
        count for stopping. By default all
    seed : pick among tied points at random, as the paper does, from this seed; without one
        the lowest index wins
    noise : share of the initial variance below which variance is rounding noise
    after : continue this selection instead of starting over; `start` is then ignored, and
        kernel and candidates must be those that made it
    progress : called after every pick

    Raises
    ------
    SettingsError
        The count is below 1 or above the number of candidates, the target is not within
        [0, 1), or a starting point does not exist.
    KernelError
        The kernel's diagonal is not finite, or not positive at any candidate.
    """
    allowed = np.ones(kernel.size, dtype=bool) if candidates is None else candidates
    starting = _checked_start(start, kernel.size)
    limit = _checked_count(count, allowed, starting)
    if not 0 <= target < 1:
        raise SettingsError(f"The target must be at least 0 and below 1, got {target}.")
    search = _Search(kernel, allowed, limit, noise, seed)
    if after is None:
        skipped = tuple(index for index in starting if not search.condition(index, progress))
    else:
        search.resume(after)
        skipped = after.skipped
    stopped = search.run(limit, max(target, noise), progress)
    if stopped is Stop.TARGET and search.largest <= noise * search.initial:
        stopped = Stop.RANK
    return search.selection(stopped, skipped)


class _Search:
    """The state of one search: the factor and the variance, updated pick by pick."""

    def __init__(
        self, kernel: Kernel, allowed: BoolArray, room: int, noise: float, seed: int | None
    ) -> None:
        self.kernel = kernel
        self.allowed = allowed.copy()
        self.noise = noise
        self.random = None if seed is None else np.random.default_rng(seed)
        self.variance = _checked_diagonal(kernel.diagonal(), allowed)
        self.initial = float(self.variance[allowed].max())
        self.indices: list[int] = []
        self.variances: list[float] = []
        self.factor = np.zeros((min(room, 64), kernel.size))

    @property
    def largest(self) -> float:
        """Largest variance of a candidate that is left."""
        return float(np.max(self.variance, where=self.allowed, initial=0.0))

    def resume(self, selection: Selection) -> None:
        self.indices = selection.indices.tolist()
        self.variances = selection.variances.tolist()
        self.variance = selection.variance.copy()
        self.factor = selection.factor.copy()
        self.allowed[self.indices] = False

    def run(self, limit: int, target: float, progress: Progress | None) -> Stop:
        while len(self.indices) < limit:
            if self.largest <= target * self.initial:
                return Stop.TARGET
            self.condition(self._pick(), progress)
        return Stop.COUNT

    def condition(self, index: int, progress: Progress | None) -> bool:
        """Take a point, unless those before it determine it; tell whether it was taken."""
        peak = self.variance[index]
        if peak <= self.noise * self.initial:
            return False
        m = len(self.indices)
        self._make_room(m)
        column = self.kernel.columns(np.array([index]))[:, 0]
        row = (column - self.factor[:m, index] @ self.factor[:m]) / np.sqrt(peak)
        self.factor[m] = row
        # Rounding can dip below 0, where no variance is.
        self.variance = np.maximum(self.variance - row**2, 0.0)
        self.variance[index] = 0.0
        self.allowed[index] = False
        self.indices.append(int(index))
        self.variances.append(float(peak))
        if progress is not None:
            progress(len(self.indices), self.largest)
        return True

    def selection(self, stopped: Stop, skipped: tuple[int, ...]) -> Selection:
        m = len(self.indices)
        return Selection(
            np.array(self.indices, dtype=np.int64),
            np.array(self.variances, dtype=np.float64),
            self.variance,
            self.factor[:m],
            self.initial,
            stopped,
            skipped,
        )

    def _pick(self) -> int:
        tied = np.flatnonzero(self.allowed & (self.variance >= (1 - TIE) * self.largest))
        return int(tied[0] if self.random is None else self.random.choice(tied))

    def _make_room(self, m: int) -> None:
        if m == len(self.factor):
            more = np.zeros((max(m, 1), self.kernel.size))
            self.factor = np.vstack([self.factor, more])


def _checked_diagonal(diagonal: FloatArray, allowed: BoolArray) -> FloatArray:
    if not np.isfinite(diagonal).all():
        raise KernelError("The kernel's diagonal is not finite: no variance to go by.")
    if not (diagonal[allowed] > 0).any():
        raise KernelError("The kernel is zero at every candidate: no point is uncertain.")
    return diagonal


def _checked_start(start: Sequence[int] | IndexArray, size: int) -> list[int]:
    starting = [int(index) for index in start]
    for index in starting:
        if not 0 <= index < size:
            raise SettingsError(
                f"Starting landmark {index} does not exist: vertices are numbered 0 to {size - 1}."
            )
    return list(dict.fromkeys(starting))


def _checked_count(count: int | None, allowed: BoolArray, starting: list[int]) -> int:
    reachable = allowed.copy()
    reachable[starting] = True
    most = int(np.count_nonzero(reachable))
    if not allowed.any():
        raise SettingsError("Every vertex is excluded: there is no candidate for a landmark.")
    if count is None:
        return most
    if not 1 <= count <= most:
        raise SettingsError(
            f"The number of landmarks must be from 1 to {most}, the number of candidates, "
            f"got {count}."
        )
    if count < len(starting):
        raise SettingsError(
            f"{len(starting)} starting landmarks were given, but only {count} landmarks wanted. "
            "Ask for more, or give fewer."
        )
    return count
