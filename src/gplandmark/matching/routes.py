# SPDX-License-Identifier: MIT
"""The ways from one specimen of a sample to another, and what they carry."""

from dataclasses import dataclass, replace

import numpy.typing as npt

from gplandmark.matching.carrying import Carried, Chain, carry_along, stayed
from gplandmark.matching.points import Sampled
from gplandmark.surface import Surface

__all__ = ["Route"]


@dataclass(frozen=True, eq=False)
class Route:
    """Chains of maps from one specimen to another; it can be sent to another process.

    Attributes
    ----------
    start, end : the specimens where it begins and ends
    chains : of maps between them, the most trusted first; none from a specimen to itself
    certainty : that the poses of both ends are right, from 0 to 1
    mirrored : whether one of them is a left and the other a right
    """

    start: Sampled
    end: Sampled
    chains: tuple[Chain, ...]
    certainty: float
    mirrored: bool

    @property
    def over(self) -> tuple[str, ...]:
        """Names of the specimens between both ends, on the most trusted chain."""
        steps = self.chains[0].steps if self.chains else ()
        return tuple(step.target.name for step in steps[:-1])

    def carry(self, points: npt.ArrayLike, *, on_surface: bool = False) -> Carried:
        """Carry points (m, 3) of the first specimen's file to the last."""
        if not self.chains:
            return stayed(points)
        ends = self.start, self.end
        return carry_along(ends, self.chains, points, self.certainty, on_surface=on_surface)

    def onto(self, surface: Surface) -> "Route":
        """The same way, which ends on a finer mesh of the last specimen."""
        return replace(self, end=replace(self.end, surface=surface))
