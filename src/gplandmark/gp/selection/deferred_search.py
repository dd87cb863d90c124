# SPDX-License-Identifier: MIT
"""A search that computes covariances only where the next landmark may be.

The variance only falls, so what is known of a point bounds it from above, and its initial variance
K(x, x) is the first bound. Only points whose bound reaches the best known value are brought up to
date, each for all landmarks that it has missed. In many dimensions these are few, and all the
others are needed once, in the end.
"""

import numpy as np

from gplandmark.gp.conditioning import check_positive, variance_given
from gplandmark.gp.kernels import Kernel, noise_floor
from gplandmark.gp.selection.result import TIE, Selection, Stop
from gplandmark.gp.selection.ties import choose_tied
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops

FIRST = 64  # points brought up to date together; twice as many every time that it does not suffice


class DeferredSearch:
    """Upper bounds on the variance of all points, and factor columns of those looked at."""

    exhausted = Stop.RANK

    def __init__(self, kernel: Kernel, allowed: BoolArray, room: int | None = None) -> None:
        self.kernel = kernel
        self.noise = noise_floor(kernel)
        self.allowed = allowed.copy()
        self.diagonal = kernel.diagonal()
        self.bounds = self.diagonal.copy()
        self.initial = float(self.bounds[allowed].max())
        self.done = np.zeros(kernel.size, dtype=np.int64)  # landmarks accounted for
        self.slots = np.full(kernel.size, -1)  # column of a point in `columns`; -1 if none
        self.columns = np.zeros((room or FIRST, 0))
        self.picks: list[int] = []
        self.triangle = np.zeros((0, 0))  # R with K(X, X) = R R^T
        self._rows: FloatArray | None = None

    def bytes_per_landmark(self) -> float:
        """Memory that one more landmark takes: a row of the factor."""
        return 8.0 * self.kernel.size

    def largest(self) -> float:
        """Largest variance of an allowed point."""
        size = FIRST
        while True:
            stale = self.done < len(self.picks)
            best = float(np.max(self.bounds, where=self.allowed & ~stale, initial=0.0))
            rivals = np.flatnonzero(self.allowed & stale & (self.bounds >= (1 - TIE) * best))
            if len(rivals) == 0:
                return best
            order = np.argsort(-self.bounds[rivals], kind="stable")
            self._refresh(rivals[order[:size]])
            size *= 2

    def winner(self, random: "np.random.Generator | None") -> int:
        """The candidate of largest variance; of those that tie, one by position or at random."""
        is_near = self.bounds >= (1 - TIE) * self.largest()
        tied = np.flatnonzero(self.allowed & (self.done == len(self.picks)) & is_near)
        return choose_tied(tied, self.kernel, random)

    def condition(self, index: int) -> float | None:
        """Observe a point and return its variance; None if those before it determine it."""
        floor, count = self.noise * self.initial, len(self.picks)
        if self.bounds[index] > floor:  # not so if it was observed before
            self._refresh(np.array([index]))
        peak = float(self.bounds[index])
        if peak <= floor:
            return None
        triangle = np.zeros((count + 1, count + 1))
        triangle[:count, :count] = self.triangle
        triangle[count, :count] = self.columns[:count, self.slots[index]]
        triangle[count, count] = np.sqrt(peak)
        self.triangle, self._rows = triangle, None
        self.picks.append(index)
        self.bounds[index] = 0.0
        self.allowed[index] = False
        return peak

    pick = condition

    def _refresh(self, points: IndexArray) -> None:
        """Account for all landmarks that some points have missed.

        With X the landmarks and R their factor, c(x) = R^-1 K(X, x) and v(x) = K(x, x) - |c(x)|^2.
        """
        self._reserve(points)
        first = int(self.done[points].min())
        entries = self.kernel.block(points, np.array(self.picks[first:], dtype=np.int64)).T
        for known in np.unique(self.done[points]):
            some = np.flatnonzero(self.done[points] == known)
            at = self.slots[points[some]]
            columns = np.empty((len(self.picks), len(some)))
            columns[:known] = self.columns[:known, at]
            columns[known:] = entries[known - first :, some]
            left = self.bounds[points[some]]
            self._downdate(columns, left, int(known))
            check_positive(left, points[some], self.initial, len(self.picks))
            self.columns[: len(self.picks), at] = columns
            self.bounds[points[some]] = np.maximum(left, 0.0)
        self.done[points] = len(self.picks)

    def _downdate(self, columns: FloatArray, variances: FloatArray, known: int) -> None:
        """Turn covariances (m, k) with the landmarks from `known` on into columns R^-1 K(X, x)."""
        weights, scales = self.triangle[known:], self.triangle.diagonal()[known:].copy()
        choose_loops().downdate(columns, weights, scales, variances, known)

    def _reserve(self, points: IndexArray) -> None:
        """Make room for the columns of points that are looked at for the first time."""
        fresh = points[self.slots[points] < 0]
        used = int(self.slots.max()) + 1
        self.slots[fresh] = np.arange(used, used + len(fresh))
        height, width = self.columns.shape
        if used + len(fresh) > width or len(self.picks) >= height:
            taller = max(height, 2 * len(self.picks))
            wider = min(max(2 * width, used + len(fresh)), self.kernel.size)
            larger = np.zeros((taller, wider))
            larger[:height, :width] = self.columns
            self.columns = larger

    def restore(self, selection: Selection, factor: FloatArray) -> None:
        """Go on from a selection with its factor (m, n), without asking for columns again."""
        self.picks = selection.indices.tolist()
        self.columns = factor.copy()
        self.slots = np.arange(self.kernel.size)
        self.done[:] = len(self.picks)
        self.triangle = np.tril(factor[:, selection.indices].T)
        self.bounds = selection.variance.copy()
        self.allowed[selection.indices] = False

    def variance(self) -> FloatArray:
        """Variance left at every point, shape (n,)."""
        left = variance_given(self.diagonal, self.factor())
        left[self.picks] = 0.0
        return left

    def factor(self) -> FloatArray:
        """Rows of the factor, shape (m, n): all columns in one pass over the kernel."""
        if not self.picks:
            return np.zeros((0, self.kernel.size))
        if self._rows is None:
            columns = self.kernel.columns(np.array(self.picks, dtype=np.int64))
            self._rows = np.ascontiguousarray(columns.T)
            self._downdate(self._rows, self.diagonal.copy(), 0)
        return self._rows
