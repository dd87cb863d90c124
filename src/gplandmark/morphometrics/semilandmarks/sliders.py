# SPDX-License-Identifier: MIT
"""Which landmarks slide: along curves, between their neighbours, or over a surface."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.io.formatting import listed
from gplandmark.landmarks.curves import Curve
from gplandmark.numerics.arrays import IndexArray

CURVE_LENGTH = 3  # points of a curve: one that slides, between two others


def _none(*shape: int) -> IndexArray:
    return np.zeros(shape, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Sliders:
    """Landmarks that slide, counted from 0.

    Attributes
    ----------
    curves : (c, 3) the landmark before, the one that slides, and the one after it. It slides
        along the line from the one before to the one after
    surfaces : (p,) landmarks that slide over a surface
    """

    curves: IndexArray = field(default_factory=lambda: _none(0, 3))
    surfaces: IndexArray = field(default_factory=lambda: _none(0))

    @property
    def sliding(self) -> IndexArray:
        """Numbers of all landmarks that slide, (c + p,)."""
        return np.concatenate([self.curves[:, 1], self.surfaces])

    def check(self, count: int) -> None:
        """Check the numbers for configurations of `count` landmarks.

        Raises
        ------
        AnalysisError
            Nothing slides or everything does, a number is out of range, a landmark is its own
            neighbour, or one slides twice.
        """
        sliding, every = self.sliding, np.concatenate([self.curves.ravel(), self.surfaces])
        if len(sliding) == 0:
            raise AnalysisError("No landmark slides. Name curves or surface points.")
        if every.min() < 0 or every.max() >= count:
            wrong = every[(every < 0) | (every >= count)][0]
            raise AnalysisError(
                f"Sliding landmarks name number {wrong + 1}, but there are {count} landmarks."
            )
        before, middle, after = self.curves.T
        if ((before == middle) | (middle == after) | (before == after)).any():
            raise AnalysisError(
                "A curve visits a landmark twice in a row, so that it has no direction there. Each "
                "sliding landmark needs two different neighbours."
            )
        numbers, counts = np.unique(sliding, return_counts=True)
        if counts.max() > 1:
            twice = [str(number + 1) for number in numbers[counts > 1]]
            raise AnalysisError(
                f"Sliding twice: {listed('landmark', twice)}. A landmark slides along one curve or "
                "over a surface; where curves meet it is fixed."
            )


def sliders_along(
    curves: Sequence[Curve], surfaces: Sequence[int] = (), fixed: Collection[int] = ()
) -> Sliders:
    """Return the sliders of curves: every point between two others, unless it is fixed.

    The two ends of an open curve are fixed. On a closed curve every point has two neighbours and
    slides; without any landmark elsewhere, fix one of them.

    Raises
    ------
    AnalysisError
        A curve has fewer than 3 points.
    """
    rows = []
    for curve in curves:
        members = curve.members
        if len(members) < CURVE_LENGTH:
            raise AnalysisError(
                f"Curve {curve.name} has {len(members)} points, and at least {CURVE_LENGTH} are "
                "needed: one slides between two others."
            )
        around = (members[-1], *members, members[0]) if curve.is_closed else members
        rows += [each for each in zip(around, around[1:], around[2:], strict=False)
                 if each[1] not in fixed]  # fmt: skip
    return Sliders(
        np.array(rows, dtype=np.int64).reshape(-1, 3), np.array(surfaces, dtype=np.int64)
    )
