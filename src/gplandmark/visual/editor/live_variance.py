# SPDX-License-Identifier: MIT
"""The variance on the whole surface, kept up with landmarks that come and go."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gplandmark.errors import KernelError
from gplandmark.gp.conditioning import VarianceHistory, variance_given
from gplandmark.gp.kernels import Kernel, PartKernel
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection import Design
from gplandmark.mesh import vertex_areas
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

MOST = 250_000  # 2 MB for each landmark
SEED = 0  # any will do; the same surface shall give the same map


@dataclass(frozen=True, eq=False)
class RepresentativeVertices:
    """Representative vertices: each stands for the vertices around it.

    Attributes
    ----------
    vertices : (k,) the representatives
    nearest : (n,) for every vertex the number of the representative that is nearest to it
    """

    vertices: IndexArray
    nearest: IndexArray

    @property
    def are_all(self) -> bool:
        """Whether every vertex is its own representative."""
        return len(self.vertices) == len(self.nearest)

    def kernel(self, whole: Kernel) -> Kernel:
        """A kernel over all vertices, at the representatives."""
        return whole if self.are_all else PartKernel(whole, self.vertices)

    def sums(self, values: FloatArray) -> FloatArray:
        """The sum of values (n,) over the vertices nearest to each representative, shape (k,)."""
        if self.are_all:
            return values
        return np.bincount(self.nearest, values, len(self.vertices)).astype(np.float64)


def representative_vertices(surface: Surface, most: int = MOST) -> RepresentativeVertices:
    """All vertices, or a random choice of them where there are more than `most`.

    Only vertices of triangles are chosen. A landmark then counts for the map as if it stood at the
    representative nearest to it: with 250,000 of them that is nearer than any bandwidth in use.
    """
    count = surface.vertex_count
    if count <= most:
        every = np.arange(count)
        return RepresentativeVertices(every, every)
    covered = np.flatnonzero(surface.covered())
    chosen = np.random.default_rng(SEED).permutation(len(covered))[:most]
    vertices = np.sort(covered[chosen])
    numbers = nearest(surface.points[vertices], 1, surface.points)[1]
    return RepresentativeVertices(vertices, numbers[:, 0])


PART = 16_384  # vertices at a time: what is computed of them stays in the cache


@dataclass(frozen=True, eq=False)
class _Steps:
    """An orthonormal basis (r, h) of the rows' space, and how many of it the first k span."""

    basis: FloatArray
    reached: IndexArray  # (m + 1,)


class VarianceMap:
    """Variance at every vertex given any landmarks, or the first k of them.

    A `Design` holds the vertices of the landmarks; `show` removes and adds only those that
    differ, in time O(n m) each. A landmark that the others determine, or at a vertex that has one
    already, is left out of the design and asked again whenever something changes: it adds nothing
    to the variance.

    The rows U of a design give the variance after each step in any order x_1, x_2, ... of its
    landmarks: with q_1, q_2, ... from u(x_1), u(x_2), ... by Gram and Schmidt,

        v_k(x) = K(x, x) - sum_{i <= k} (q_i . u(x))^2,

    since K(x_i, x) = u(x_i) . u(x) for all landmarks. No second set of rows is kept for this.

    Above `most` vertices the variance is kept at that many `RepresentativeVertices` only. It is
    then that of landmarks at their nearest representatives, and a vertex has the variance of its
    representative.
    """

    def __init__(self, surface: Surface, kernel: Kernel, most: int = MOST) -> None:
        self._surface = surface
        self._representatives = representative_vertices(surface, most)
        self._kernel = self._representatives.kernel(kernel)
        self._design = Design(self._kernel)
        self._shown: list[int] = []  # one representative per landmark, -1 if missing
        self._steps: _Steps | None = None

    def show(self, vertices: IndexArray) -> None:
        """Condition on landmarks at these vertices (m,), in this order; -1 is a missing one.

        Raises
        ------
        SettingsError
            There is not memory enough; the map then stays as it was.
        """
        near = self._representatives.nearest[np.maximum(vertices, 0)]
        shown: list[int] = np.where(vertices >= 0, near, -1).tolist()
        if shown == self._shown:
            return
        held = set(self._design.landmarks.tolist())
        wanted = dict.fromkeys(at for at in shown if at >= 0)
        gone, new = held - set(wanted), [each for each in wanted if each not in held]
        check_memory(self._kernel.size, 8.0 * self._kernel.size, len(new) - len(gone))
        if len(gone) + len(new) > len(wanted):
            self._design, gone, new = Design(self._kernel), set(), list(wanted)
        for index in gone:
            self._design.remove(index)
        for index in new:
            with suppress(KernelError):
                self._design.add(index)
        self._shown, self._steps = shown, None

    def variance(self) -> FloatArray:
        """Variance at every vertex given all landmarks, shape (n,)."""
        return self._everywhere(self._design.variance)

    def after(self, count: int) -> FloatArray:
        """Variance at every vertex given the first `count` landmarks, shape (n,)."""
        if count >= len(self._shown):
            return self.variance()
        steps = self._all_steps()
        left = np.empty(self._kernel.size)
        for part, rows in self._parts(steps.basis[: steps.reached[count]]):
            left[part] = variance_given(self._design.diagonal[part], rows)
        return self._everywhere(left)

    def curve(self, allowed: BoolArray) -> VarianceHistory:
        """Largest and mean variance after each step; `allowed` (n,) is where landmarks may go."""
        steps = self._all_steps()
        may = self._representatives.sums(allowed.astype(np.float64)) > 0
        largest, total = np.zeros((2, len(steps.basis) + 1))
        for part, rows in self._parts(steps.basis):
            left = self._design.diagonal[part].copy()
            for step, row in enumerate([np.zeros(len(left)), *rows]):
                left -= row * row
                largest[step] = left.max(where=may[part], initial=largest[step])
                total[step] += np.maximum(left, 0.0) @ self._areas[part]
        mean, at = total / self._areas.sum(), steps.reached
        return VarianceHistory(largest[at], mean[at], self.variance(), at)

    def _everywhere(self, values: FloatArray) -> FloatArray:
        return values if self._representatives.are_all else values[self._representatives.nearest]

    def _all_steps(self) -> _Steps:
        if self._steps is None:
            columns = self._design.rows[:, self._shown].T
            columns[np.array(self._shown, dtype=np.int64) < 0] = 0.0
            self._steps = _orthonormal(columns, self._design.floor)
        return self._steps

    def _parts(self, basis: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        for start in range(0, self._kernel.size, PART):
            part = slice(start, start + PART)
            yield part, basis @ self._design.rows[:, part]

    @cached_property
    def _areas(self) -> FloatArray:
        return self._representatives.sums(vertex_areas(self._surface))


def _orthonormal(columns: FloatArray, floor: float) -> _Steps:
    """By Gram and Schmidt, twice for accuracy; a column within the floor adds no direction."""
    basis = np.zeros((0, columns.shape[1]))
    reached = [0]
    for column in columns:
        rest = column - (basis @ column) @ basis
        rest = rest - (basis @ rest) @ basis
        if rest @ rest > floor:
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
        reached.append(len(basis))
    return _Steps(basis, np.array(reached))
