# SPDX-License-Identifier: MIT
"""Vertices sorted into small boxes by halving the longest side."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import run_threaded

Part = tuple[IndexArray, FloatArray]  # vertices (m,), and their coordinates (3, m)


def partition(points: FloatArray, side: float, most: int, threads: int | None = None) -> list[Part]:
    """Boxes no longer than ``side``, or of at most ``most`` vertices, in a fixed order.

    The median splits the longest side, so that neither outliers nor far-apart components matter.
    """
    parts: list[Part] = [(np.arange(len(points)), np.ascontiguousarray(points.T))]
    finished: list[Part] = []
    while parts:
        halves: list[list[Part]] = [[] for _ in parts]

        def split(k: int, parts: list[Part] = parts, halves: list[list[Part]] = halves) -> None:
            halves[k] = halve(*parts[k], side, most)

        run_threaded(split, range(len(parts)), threads)
        finished += [found[0] for found in halves if len(found) == 1]
        parts = [part for found in halves if len(found) == 2 for part in found]
    return finished


def halve(vertices: IndexArray, columns: FloatArray, side: float, most: int) -> list[Part]:
    """The two halves of a part, or the part itself when it is small enough."""
    extent = np.ptp(columns, axis=1)
    axis = int(np.argmax(extent))
    if extent[axis] <= side or len(vertices) <= most:
        return [(vertices, columns)]
    middle = len(vertices) // 2
    order = np.argpartition(columns[axis], middle)
    halves = order[:middle], order[middle:]
    return [(vertices[half], columns.take(half, axis=1)) for half in halves]
