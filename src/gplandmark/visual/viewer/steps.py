# SPDX-License-Identifier: MIT
"""Landmarks one after the other, and the variance that is left after each: what a viewer shows.

`Steps` is all that the viewer knows of landmarks. A fixed set comes from `steps_of`; anything that
changes hands the viewer new `Steps`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplandmark.gp.kernels import Kernel, PartKernel
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["Steps", "steps_of"]


@dataclass(frozen=True, eq=False)
class Steps:
    """Landmarks in their order.

    Attributes
    ----------
    points : (m, 3) in the coordinates of the file, NaN where one is missing
    labels : their names
    largest : (m + 1,) largest variance left after 0 to m landmarks, a share of the start
    variance : from a number of landmarks to the variance left at every vertex that is drawn, (k,),
        as shares of the largest at the start
    name : of the set
    selected : positions of the landmarks to make stand out
    excluded : (k,) vertices drawn where no landmarks are placed; None for nowhere
    """

    points: FloatArray
    labels: tuple[str, ...]
    largest: FloatArray
    variance: Callable[[int], FloatArray]
    name: str = "landmarks"
    selected: tuple[int, ...] = ()
    excluded: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.points)


def steps_of(
    surface: Surface, kernel: Kernel, landmarks: Landmarks, drawn: IndexArray, name: str
) -> Steps:
    """Condition the process on landmarks in their order, at the vertices that are drawn.

    A landmark between vertices counts at its nearest vertex; one that those before it determine,
    as a duplicate, changes nothing. The largest variance is that of the vertices drawn.

    Raises
    ------
    LandmarkFileError
        A landmark is missing, or lies too far off the surface to belong to it.
    """
    vertices, _ = vertices_on(surface, landmarks, name)
    points, places = np.unique(np.append(drawn, vertices), return_inverse=True)
    search = FactoredSearch(PartKernel(kernel, points), np.ones(len(points), bool), len(vertices))
    start = search.variances[places[: len(drawn)]] / search.initial
    rows, largest = np.zeros((len(vertices), len(drawn)), dtype=np.float32), [1.0]
    for number, place in enumerate(places[len(drawn) :]):
        if search.condition(int(place)) is not None:
            row = search.rows[search.count - 1, places[: len(drawn)]]
            rows[number] = row / np.sqrt(search.initial)
        largest.append(float(search.variances.max()) / search.initial)

    def variance(count: int) -> FloatArray:
        given = np.einsum("ij,ij->j", rows[:count], rows[:count])
        return np.asarray(np.clip(start - given, 0, 1))

    return Steps(landmarks.points, landmarks.labels, np.array(largest), variance, name)
