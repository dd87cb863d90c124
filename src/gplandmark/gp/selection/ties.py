# SPDX-License-Identifier: MIT
"""Which of several points of equal variance is picked: by position, not by their numbers."""

import numpy as np

from gplandmark.gp.kernels import Kernel, positions
from gplandmark.numerics.arrays import FloatArray, IndexArray

SAME = 1e-9  # of the largest distance from the centre: positions closer than this are equal


def choose_tied(tied: IndexArray, kernel: Kernel, random: "np.random.Generator | None") -> int:
    """One of the points `tied`, at least one of them.

    Without a generator it is the one farthest from the mean of all points; of several, the one
    with the largest first coordinate, then the next. With one it is drawn from them, in the order
    of their coordinates. Only where the kernel does not know positions, and where points
    coincide, does the lowest number decide.
    """
    if len(tied) == 1:
        return int(tied[0])
    tied, points = np.sort(tied), positions(kernel)
    if random is not None:
        order = tied if points is None else tied[np.lexsort(points[tied].T)]
        return int(random.choice(order))
    return int(tied[0] if points is None else tied[_outermost(points[tied] - points.mean(axis=0))])


def _outermost(offsets: FloatArray) -> int:
    """Number of the row farthest from the origin, then of the largest coordinates."""
    distances = np.linalg.norm(offsets, axis=1)
    left = np.arange(len(offsets))
    for key in (distances, *offsets.T):
        left = left[key[left] >= key[left].max() - SAME * distances.max()]
    return int(left[0])
