# SPDX-License-Identifier: MIT
"""The variance that given landmarks leave, whoever placed them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.gp.kernels import FieldKernel, Kernel
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.mesh import vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Conditioned", "condition_greedily", "condition_on"]

FIELD_NOISE = 100  # tolerances of a field: a landmark with less variance is determined by others


@dataclass(frozen=True, eq=False)
class Conditioned:
    """Variance left after each landmark, as shares of what it was before any.

    Attributes
    ----------
    largest : (m + 1,) of the largest variance on the surface, after 0 to m landmarks
    mean : (m + 1,) of the mean variance over the area
    variance : (n,) what is left at every vertex in the end, as a share of the largest at the
        start
    skipped : vertices that those before them determine, as duplicates; they change nothing
    """

    largest: FloatArray
    mean: FloatArray
    variance: FloatArray
    skipped: tuple[int, ...]


def condition_on(
    surface: Surface, kernel: Kernel, vertices: Sequence[int] | IndexArray
) -> Conditioned:
    """Condition the process on landmarks in their order, by equation (uncertainty-score).

        largest_m = max_x v_m(x) / max_x v_0(x)
        mean_m    = sum_k nu(x_k) v_m(x_k) / sum_k nu(x_k) v_0(x_k)

    over the vertices that belong to a triangle, with nu their Voronoi areas; of a cloud, over all.
    """
    return _conditioned(surface, kernel, len(vertices), lambda _, number: int(vertices[number]))


def condition_greedily(surface: Surface, kernel: Kernel, count: int) -> Conditioned:
    """Condition the process on its own landmarks, each where the variance is largest.

    They are those of `gplandmark.select`. Where fewer than `count` determine the surface to
    the last digit, the others are skipped, and leave what those leave.
    """
    return _conditioned(surface, kernel, count, lambda search, _: search.winner(None))


def _conditioned(
    surface: Surface, kernel: Kernel, count: int, choose: Callable[[FactoredSearch, int], int]
) -> Conditioned:
    check_memory(kernel.size, 8.0 * kernel.size, count)
    search = FactoredSearch(kernel, surface.covered(), count)
    if isinstance(kernel, FieldKernel):
        search.noise = FIELD_NOISE * kernel.tolerance
    areas = vertex_areas(surface)
    total = float(search.variance() @ areas)
    largest, mean, skipped = [1.0], [1.0], []
    for number in range(count):
        vertex = choose(search, number)
        if search.condition(vertex) is None:
            skipped.append(vertex)
        largest.append(search.largest() / search.initial)
        mean.append(float(search.variance() @ areas) / total)
    left = search.variance() / search.initial
    return Conditioned(np.array(largest), np.array(mean), left, tuple(skipped))
