# SPDX-License-Identifier: MIT
"""Greedy search with a field kernel, over cells of vertices: for a million vertices and more.

The variance only falls, so what a cell knew at its last refresh bounds it from above: only cells
whose bound passes the best known value are refreshed, each for all landmarks that it has missed.
No factor of n x m numbers exists.
"""

import numpy as np

from gplandmark.gp.kernels import FieldKernel
from gplandmark.gp.kernels.field_kernel import FINEST
from gplandmark.gp.limits import available_memory
from gplandmark.gp.selection.cells import ROOM
from gplandmark.gp.selection.cover import make_cover
from gplandmark.gp.selection.result import Move, Selection, Stop
from gplandmark.gp.selection.ties import choose_tied
from gplandmark.numerics.arrays import BoolArray, FloatArray

SHARPEN = 1e4  # below this many tolerances the field is tabulated again at a finer one


class FieldSearch:
    """Cells with upper bounds on the variance of their candidates, and the picks so far."""

    exhausted = Stop.NOISE

    def __init__(
        self,
        kernel: FieldKernel,
        allowed: BoolArray,
        room: int | None = None,
        move: Move | None = None,
    ) -> None:
        self.allowed = allowed
        self.move = move
        self.room = room or ROOM
        self.is_finest = False
        self.picks: list[FloatArray] = []  # in the units of the surface
        self.cover = make_cover(kernel, allowed, self.room)
        self.initial = float(self.cover.bounds.max())

    @property
    def noise(self) -> float:
        """Variance below this fraction of the initial one is noise of the kernel's entries."""
        return self.cover.floor / self.initial if self.initial > 0 else 0.0

    def bytes_per_landmark(self) -> float:
        """Memory that one more landmark takes, about: a factor row in each cell it reaches."""
        return 8.0 * self.cover.nodes_within_reach()

    def largest(self) -> float:
        """Largest variance of a candidate."""
        largest = self.cover.settle()
        while self._is_blurred(largest) and self._sharpen():
            largest = self.cover.settle()
        return max(largest, 0.0)

    def _is_blurred(self, largest: float) -> bool:
        """Whether the variance is near the error of the field, and a finer field is possible."""
        tolerance = self.cover.kernel.tolerance
        is_near = largest < SHARPEN * tolerance * self.initial
        return is_near and tolerance > FINEST and not self.is_finest

    def winner(self, random: "np.random.Generator | None") -> int:
        """The candidate of largest variance; of those that tie, one by position or at random."""
        return choose_tied(self.cover.winners(self.cover.settle()), self.cover.kernel, random)

    def condition(self, index: int) -> float | None:
        """Observe a vertex and return its variance; None if those before it determine it."""
        return self.condition_at(self.cover.kernel.exact.points[index])

    def condition_at(self, point: FloatArray) -> float | None:
        """The same for a point (3,) that need not be a vertex."""
        peak = self.cover.pick(self._units(point[None])[0])
        if peak is not None:
            self.picks.append(point)
        return peak

    def pick(self, index: int) -> float | None:
        """Observe a vertex, or the point near it that it is moved to, and return its variance."""
        if self.move is None:
            return self.condition(index)
        return self.condition_at(self.move(index, self.variance_at))

    def points(self) -> FloatArray | None:
        """Where the picks are, shape (m, 3), if they were moved."""
        return None if self.move is None else np.array(self.picks).reshape(-1, 3)

    def variance_at(self, points: FloatArray) -> FloatArray:
        """Variance at points (m, 3) in space."""
        return self.cover.exact(self._units(points))[0]

    def _units(self, points: FloatArray) -> FloatArray:
        return self.cover.kernel.field.units(points)

    def observe(self, selection: Selection) -> None:
        """Observe the points of a selection; cells are updated for all of them at once."""
        vertices = self.cover.kernel.exact.points[selection.indices]
        for point in vertices if selection.points is None else selection.points:
            self.condition_at(point)

    def variance(self) -> FloatArray:
        """Variance left at every point, shape (n,)."""
        return self.cover.remaining()

    def factor(self) -> FloatArray | None:
        """None: there is no factor of n x m numbers."""
        return None

    def _sharpen(self) -> bool:
        """Go on with a finer field, if there is memory for it."""
        finer = make_cover(self.cover.kernel.sharpened(), self.allowed, self.room)
        free = available_memory()
        used = sum(8 * len(cell.active) * cell.width for cell in self.cover.cells)
        if free is not None and 8 * self.room * finer.nodes_within_reach() > free + used:
            self.is_finest = True
            return False
        for cell in self.cover.cells:
            cell.release()  # before the finer ones take their memory
        self.cover = finer
        for point in self._units(np.array(self.picks).reshape(-1, 3)):
            self.cover.pick(point)
        return True
