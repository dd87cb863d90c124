# SPDX-License-Identifier: MIT
"""The way from one specimen of a sample to another, and what it carries."""

from dataclasses import dataclass, replace

import numpy.typing as npt

from gplandmark.arrays import FloatArray
from gplandmark.matching.carrying import Carried, Step, carry_along, stayed
from gplandmark.matching.points import Sampled
from gplandmark.surface import Surface

__all__ = ["Route"]


@dataclass(frozen=True, eq=False)
class Route:
    """A chain of maps from one specimen to another; it can be sent to another process.

    Attributes
    ----------
    start : the specimen where it begins
    chain : the maps, in their order; none from a specimen to itself
    certainty : that the poses of both ends are right, from 0 to 1
    rotation : (3, 3) of the pose of the first specimen on the last
    mirrored : whether one of them is a left and the other a right
    """

    start: Sampled
    chain: tuple[Step, ...]
    certainty: float
    rotation: FloatArray
    mirrored: bool

    @property
    def end(self) -> Sampled:
        """The specimen where it ends."""
        return self.chain[-1].target if self.chain else self.start

    @property
    def over(self) -> tuple[str, ...]:
        """Names of the specimens between both ends."""
        return tuple(step.target.name for step in self.chain[:-1])

    def carry(self, points: npt.ArrayLike) -> Carried:
        """Carry points (m, 3) of the first specimen's file to the last."""
        if not self.chain:
            return stayed(points)
        return carry_along(self.chain, points, self.certainty, self.rotation)

    def onto(self, surface: Surface) -> "Route":
        """The same way, which ends on a finer mesh of the last specimen."""
        if not self.chain:
            return replace(self, start=replace(self.start, surface=surface))
        last = self.chain[-1]
        landing = replace(last, target=replace(last.target, surface=surface))
        return replace(self, chain=(*self.chain[:-1], landing))
