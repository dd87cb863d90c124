# SPDX-License-Identifier: MIT
"""The same points on every specimen of a sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.matching.candidates import Alignment
from gplandmark.matching.carrying import LEAST, Carried, Step
from gplandmark.matching.graph import Pair, way
from gplandmark.matching.pairs import remarks_on
from gplandmark.matching.points import Sampled
from gplandmark.matching.rigid import Pose
from gplandmark.matching.routes import Route

__all__ = ["SampleMatch"]


@dataclass(frozen=True, eq=False)
class SampleMatch:
    """Maps between all specimens of a sample.

    Attributes
    ----------
    specimens : the surfaces as they were sampled, in the order given
    reference : number of the specimen whose landmarks are carried to the others
    distances : (n, n) how unlike the specimens are, in units of sqrt(area)
    alignments : of the pairs (i, j), i < j, that were compared
    tree : pairs (i, j) of the spanning tree
    poses : of every specimen on the reference, both of unit area
    agreement : (n,) share of the nearest specimens that agree with the pose, 0 to 1
    steps : the maps that were computed: along the tree, and from the reference to all
    together : how many were matched together; specimens after these were added one by one
    reflections : whether one may be the mirror image of another
    """

    specimens: tuple[Sampled, ...]
    reference: int
    distances: FloatArray
    alignments: Mapping[Pair, Alignment]
    tree: tuple[Pair, ...]
    poses: tuple[Pose, ...]
    agreement: FloatArray
    steps: Mapping[Pair, Step]
    together: int
    reflections: bool = True

    def __len__(self) -> int:
        return len(self.specimens)

    @property
    def mirrored(self) -> BoolArray:
        """Which specimens are mirror images of the reference, (n,)."""
        return np.array([pose.reflects for pose in self.poses])

    def carry(self, points: npt.ArrayLike, source: int, target: int) -> Carried:
        """Carry points (m, 3) of one specimen's file to another, over the best chain of maps."""
        return self.route(source, target).carry(points)

    def route(self, source: int, target: int) -> Route:
        """The maps from one specimen to another whose squared distances have the smallest sum.

        It leads over specimens that were there when the later of both came, so that nobody moves
        when another is added. Of the maps that it leaves, the best other way is found.
        """
        there = max(self.together, source + 1, target + 1)
        costs = {pair: float(self.distances[pair]) for pair in self.steps if max(pair) < there}
        path = way(costs, len(self), source, target)
        used = {(min(pair), max(pair)) for pair in pairwise(path)}
        left = {pair: cost for pair, cost in costs.items() if pair not in used}
        ends = self.poses[source].then(self.poses[target].inverse())
        return Route(
            self.specimens[source],
            self._chain(path),
            float(min(self.agreement[source], self.agreement[target])),
            ends.rotation,
            ends.reflects,
            self._chain(way(left, len(self), source, target)),
        )

    def _chain(self, path: Sequence[int]) -> tuple[Step, ...]:
        return tuple(
            self.steps[i, j] if i < j else self.steps[j, i].reversed() for i, j in pairwise(path)
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know about single specimens, in sentences."""
        if len(self) == 1:
            return ("There is only one specimen, and nothing to carry its landmarks to.",)
        said = [
            text
            for i, j in self.tree
            for text in remarks_on(
                self.specimens[i].name, self.specimens[j].name, self.alignments[i, j], sides=False
            )
        ]
        for specimen, share in zip(self.specimens, self.agreement, strict=True):
            if share < LEAST:
                said.append(
                    f"{specimen.name}: few of the specimens most like it agree with its pose "
                    f"({100 * share:.0f} %), so its landmarks are doubtful."
                )
        return tuple(said)
