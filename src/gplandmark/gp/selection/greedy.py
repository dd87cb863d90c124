# SPDX-License-Identifier: MIT
"""Algorithm 1 from its eleventh step on: pick where the variance is largest, condition, repeat."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.gp.kernels import FieldKernel, Kernel, columns_together, kernel_of
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection.deferred_search import DeferredSearch
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.gp.selection.field_search import FieldSearch
from gplandmark.gp.selection.result import Move, Progress, Selection, Stop
from gplandmark.numerics.arguments import (
    function,
    instance,
    mask,
    real_number,
    seed_number,
    whole_number,
)
from gplandmark.numerics.arrays import BoolArray, IndexArray

Search: TypeAlias = FactoredSearch | DeferredSearch | FieldSearch


def select(
    kernel: Kernel,
    count: int | None = None,
    *,
    target: float = 0.0,
    start: Sequence[int] | IndexArray = (),
    candidates: BoolArray | None = None,
    seed: "int | np.random.Generator | None" = None,
    after: Selection | None = None,
    move: Move | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Pick points one by one, each where the Gaussian process is least certain.

    After m picks the variance at x is, by equation (uncertainty-score),

        v_m(x) = K(x, x) - K(x, X)^T K(X, X)^-1 K(x, X) = K(x, x) - sum_{i <= m} L_i(x)^2

    with X the picks and L the Cholesky factor of K pivoted by the largest v. Any kernel is
    asked for its diagonal and the picked columns only, in time O(n m^2) and memory O(n m). A
    `FieldKernel` is searched lazily, cell by cell, without a factor of that size. A
    `ReweightedKernel` is first asked for covariances of few points, and for columns in the end.

    Parameters
    ----------
    kernel : over n points
    count : points wanted in all, starting points included; None for as many as it takes
    target : stop when the largest variance of a candidate is at most this fraction of its
        initial value
    start : points that come first, in this order; the search is conditioned on them. One
        that is determined by those before it is skipped
    candidates : (n,) which points may be picked; the others are never picked and do not
        count for stopping. By default all
    seed : pick among tied points at random, as the paper does, from this seed; without one
        the one farthest from the mean of all points wins, or the lowest index where the kernel
        does not know its points. A generator of NumPy gives its next number
    after : continue this selection instead of starting over; `start` is then ignored, and
        kernel and candidates must be those that made it
    move : puts every pick, but those of `start`, somewhere near its vertex; for a `FieldKernel`
    progress : called after every pick

    Raises
    ------
    SettingsError
        The count is below 1 or above the number of candidates, the target is not within
        [0, 1), or a starting point does not exist.
    KernelError
        The kernel's diagonal is not finite, or not positive at any candidate.
    """
    kernel = kernel_of(kernel)
    allowed = np.ones(kernel.size, dtype=bool)
    if candidates is not None:
        allowed = mask(candidates, kernel.size, "The candidates")
    starting = checked_landmarks(start, kernel.size, what="Starting landmarks").tolist()
    limit = _checked_count(count, allowed, starting)
    _check_request(target, move, progress)
    random = None if seed is None else np.random.default_rng(seed_number(seed))
    _check_after(after, count, kernel.size)
    search = search_for(kernel, allowed, count, move)
    if count is not None:
        check_memory(kernel.size, search.bytes_per_landmark(), count)
    picks: list[int] = [] if after is None else after.indices.tolist()
    variances: list[float] = [] if after is None else after.variances.tolist()

    def take(index: int, peak: float | None) -> bool:
        if peak is None:
            return False
        picks.append(index)
        variances.append(peak)
        if progress is not None:
            progress(len(picks), search.largest() / search.initial)
        return True

    if after is None:
        skipped = tuple(index for index in starting if not take(index, search.condition(index)))
    else:
        _resume(search, after)
        skipped = after.skipped
    stopped = _pick_until(lambda: len(picks) >= limit, target, search, take, random)
    return Selection(
        np.array(picks, dtype=np.int64),
        np.array(variances, dtype=np.float64),
        search.variance(),
        search.factor(),
        search.initial,
        search.noise,
        stopped,
        skipped,
        search.points() if isinstance(search, FieldSearch) else None,
    )


def _pick_until(
    is_enough: Callable[[], bool],
    target: float,
    search: Search,
    take: Callable[[int, float | None], bool],
    random: "np.random.Generator | None",
) -> Stop:
    """Pick where the variance is largest until there is a reason to stop, and return it."""
    while not is_enough():
        left = search.largest() / search.initial
        if left <= search.noise:
            return search.exhausted
        if left <= target:
            return Stop.TARGET
        index = search.winner(random)
        if not take(index, search.pick(index)):
            return search.exhausted
    return Stop.COUNT


def search_for(
    kernel: Kernel, allowed: BoolArray, count: int | None, move: Move | None = None
) -> Search:
    """Begin the search that suits the kernel, and refuse what is not a covariance."""
    search: Search
    if isinstance(kernel, FieldKernel):
        search = FieldSearch(kernel, allowed, count, move)
    elif move is None:
        suited = DeferredSearch if columns_together(kernel) else FactoredSearch
        search = suited(kernel, allowed, count)
    else:
        raise SettingsError(
            "Landmarks between vertices need the reweighted kernel and its field engine. "
            "Leave them on vertices, or use that."
        )
    if not np.isfinite(search.initial):
        raise KernelError("The kernel's diagonal is not finite: there is no variance to select by.")
    if not search.initial > 0:
        raise KernelError("The kernel is zero at every candidate: no point is uncertain.")
    return search


def _resume(search: Search, after: Selection) -> None:
    """Bring a new search to where a selection stopped, by its factor if both have one."""
    if isinstance(search, FieldSearch):
        search.observe(after)
    elif after.factor is not None:
        search.restore(after, after.factor)
    else:
        for index in after.indices:
            search.condition(int(index))


def _check_request(target: float, move: Move | None, progress: Progress | None) -> None:
    for called, what in ((progress, "progress"), (move, "move")):
        if called is not None:
            function(called, what)
    if not 0 <= real_number(target, "The target") < 1:
        raise SettingsError(
            "The target is a fraction of the variance, at least 0 and below 1: 0.05 for 5 %, "
            f"got {target}."
        )


def _check_after(after: Selection | None, count: int | None, size: int) -> None:
    if after is None:
        return
    instance(after, Selection, "Use what select returned.")
    if len(after.variance) != size:
        raise SettingsError(
            f"The selection to continue is one of {len(after.variance):,} points, but the kernel "
            f"has {size:,}. Use the kernel that made it."
        )
    if count is not None and count < len(after.indices):
        raise SettingsError(
            f"{len(after.indices)} landmarks are there already. Ask for more, got {count}."
        )


def _checked_count(count: int | None, allowed: BoolArray, starting: list[int]) -> int:
    reachable = allowed.copy()
    reachable[starting] = True
    most = int(np.count_nonzero(reachable))
    if not allowed.any():
        raise SettingsError("Every vertex is excluded: there is no candidate for a landmark.")
    if count is None:
        return most
    if not 1 <= whole_number(count, "The number of landmarks") <= most:
        raise SettingsError(
            f"The number of landmarks must be from 1 to {most:,}, the number of vertices that may "
            f"have one, got {count:,}. Ask for fewer, exclude less, or use a finer mesh."
        )
    if count < len(set(starting)):
        raise SettingsError(
            f"{len(set(starting))} starting landmarks were given, but only {count} landmarks "
            "wanted. Ask for more, or give fewer."
        )
    return count
