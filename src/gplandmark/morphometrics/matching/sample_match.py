# SPDX-License-Identifier: MIT
"""Maps between all specimens of a sample, and landmarks carried along them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.morphometrics.matching.carried_points import (
    MIN_CONFIDENCE,
    Carried,
)
from gplandmark.morphometrics.matching.carry import MapChain, PairMap, Route
from gplandmark.morphometrics.matching.fragments.pieces_in_place import remark_on_pieces
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sample_graph import Pair, shortest_route
from gplandmark.morphometrics.matching.surface_map import (
    remark_on_fragment,
    remark_on_units,
    remarks_on,
)
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import whole_numbers
from gplandmark.numerics.arrays import BoolArray, FloatArray, number_outside

NONE_WHOLE = (
    "Every specimen lacks a part that others have, so that all are fragments. They were matched as "
    "if they were whole. Landmarks where one is broken are wrong. Add a whole specimen."
)
WAYS = 2  # chains of maps that are combined; no map is in two of them


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a specimen, beside the largest one, as `SampleMatch` would have it.

    Attributes
    ----------
    specimen : the piece
    pose, agreement : as of a specimen
    distances : (n,) from the specimens that the sample had when it was found
    steps : maps between it and whole specimens
    """

    specimen: SampledSurface
    pose: Pose
    agreement: float
    distances: FloatArray
    steps: Mapping[Pair, PairMap]


@dataclass(frozen=True, eq=False)
class SampleMatch:
    """Maps between all specimens of a sample.

    Attributes
    ----------
    specimens : the sampled surfaces, in the order given
    reference : index of the specimen whose landmarks are carried to the others
    distances : (n, n) between the specimens, in units of size
    alignments : of the pairs (i, j), i < j, that were compared
    tree : pairs (i, j) of the minimum spanning tree
    poses : of every specimen relative to the reference, both of unit size
    asymmetry : (n,) residual between each and its own mirror image, in units of size; empty if
        reflections are not considered
    agreement : (n,) fraction of the nearest specimens that agree with the pose, 0 to 1
    steps : the maps that were computed: along the tree, and from the reference to all
    together : number of specimens matched together; later ones were added one by one
    reflections : whether one may be the mirror image of another
    same_scale : whether all files share a unit
    pieces : of specimens in several pieces, by their number, those that are not in `specimens`,
        which has the largest
    none_whole : whether every specimen lacks a part that others have; all count as whole
    """

    specimens: tuple[SampledSurface, ...]
    reference: int
    distances: FloatArray
    alignments: Mapping[Pair, Alignment]
    tree: tuple[Pair, ...]
    poses: tuple[Pose, ...]
    asymmetry: FloatArray
    agreement: FloatArray
    steps: Mapping[Pair, PairMap]
    together: int
    reflections: bool = True
    same_scale: bool = False
    pieces: Mapping[int, tuple[Piece, ...]] = field(default_factory=dict)
    none_whole: bool = False

    def __len__(self) -> int:
        return len(self.specimens)

    @property
    def mirrored(self) -> BoolArray:
        """Which specimens are mirror images of the reference, (n,)."""
        return np.array([pose.reflects for pose in self.poses])

    def variants(self, number: int) -> "list[SampleMatch]":
        """The sample with every other piece of a specimen in its place."""
        return [self._with_piece(number, piece) for piece in self.pieces.get(number, ())]

    def _with_piece(self, number: int, piece: Piece) -> "SampleMatch":
        specimens, poses = list(self.specimens), list(self.poses)
        specimens[number], poses[number] = piece.specimen, piece.pose
        agreed, distances = self.agreement.copy(), self.distances.copy()
        agreed[number] = piece.agreement
        known = len(piece.distances)
        distances[number, :known] = distances[:known, number] = piece.distances
        others = {pair: step for pair, step in self.steps.items() if number not in pair}
        return replace(
            self,
            specimens=tuple(specimens),
            poses=tuple(poses),
            agreement=agreed,
            distances=distances,
            steps={**others, **piece.steps},
            pieces={key: each for key, each in self.pieces.items() if key != number},
        )

    def carry(
        self, points: npt.ArrayLike, source: int, target: int, *, on_surface: bool = False
    ) -> Carried:
        """Carry points (m, 3) of one specimen's file to another, along the best chains of maps."""
        return self.route(source, target).carry(points, on_surface=on_surface)

    def route(self, source: int, target: int) -> Route:
        """Chains of maps from one specimen to another: the best, and the best without its maps.

        If one of both is in pieces, there is a route from or to each.

        The best chain is the path with the smallest sum of squared distances. It visits only
        whole specimens that were in the sample when the later of both was added, so that adding
        specimens changes no earlier result.

        Raises
        ------
        SettingsError
            The sample has no such specimen.
        """
        source, target = self.checked_numbers([source, target])
        there = max(self.together, source + 1, target + 1)
        ends = {source, target}
        costs = {
            pair: float(self.distances[pair])
            for pair in self.steps
            if max(pair) < there
            and not any(self.specimens[k].is_fragment for k in pair if k not in ends)
        }
        chains: list[MapChain] = []
        while len(chains) < WAYS and (path := shortest_route(costs, len(self), source, target))[1:]:
            steps = []
            for i, j in pairwise(path):
                steps.append(self.steps[i, j] if i < j else self.steps[j, i].reversed())
                costs.pop((min(i, j), max(i, j)))
            chains.append(MapChain(tuple(steps)))
        found = self._route(source, target, tuple(chains))
        variants = [] if source == target else [*self.variants(source), *self.variants(target)]
        others = [each.route(source, target) for each in variants]
        return replace(found, others=tuple(one for each in others for one in (each, *each.others)))

    def checked_numbers(self, numbers: Sequence[int]) -> list[int]:
        """Return numbers of specimens, which begin with 0, if they are.

        Raises
        ------
        SettingsError
            One is no whole number, or there is no such specimen.
        """
        known = whole_numbers(numbers, "Numbers of specimens")
        if known.ndim != 1:
            raise SettingsError("Numbers of specimens must be given as a list.")
        if (bad := number_outside(known, len(self))) is not None:
            raise SettingsError(
                f"There is no specimen {bad}: they are numbered 0 to {len(self) - 1}."
            )
        return [int(number) for number in known]

    def direct_route(self, source: int, target: int) -> Route:
        """The route of the map between two specimens, or the best where they have no own map."""
        pair = min(source, target), max(source, target)
        if pair not in self.steps:
            return self.route(source, target)
        step = self.steps[pair] if source < target else self.steps[pair].reversed()
        return self._route(source, target, (MapChain((step,)),))

    def _route(self, source: int, target: int, chains: tuple[MapChain, ...]) -> Route:
        return Route(
            self.specimens[source],
            self.specimens[target],
            chains,
            float(min(self.agreement[source], self.agreement[target])),
            self.poses[source].then(self.poses[target].inverse()).reflects,
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about single specimens, as sentences."""
        if len(self) == 1:
            return ("There is only one specimen: its landmarks cannot be carried to others.",)
        found = [
            text
            for i, j in self.tree
            for text in remarks_on(
                self.specimens[i].name, self.specimens[j].name, self.alignments[i, j], sides=False
            )
            if not (self.specimens[i].is_fragment or self.specimens[j].is_fragment)
        ]
        found += self._remarks_on_fragments()
        found += [NONE_WHOLE] if self.none_whole else []
        for specimen, fraction in zip(self.specimens, self.agreement, strict=True):
            if fraction < MIN_CONFIDENCE:
                found.append(
                    f"{specimen.name}: few of the most similar specimens agree with its pose "
                    f"({100 * fraction:.0f} %), so its landmarks are doubtful."
                )
        return tuple(found)

    def _remarks_on_fragments(self) -> list[str]:
        """What is said of every fragment; of one in another unit only that, if all share one."""
        found: list[str] = []
        for i, j in self.tree:
            number = j if self.specimens[j].is_fragment else i
            if number in self.pieces:
                found += self.remark_on_pieces(number)
                continue
            whole, part = (
                self.specimens[k] for k in ((i, j) if self.specimens[j].is_fragment else (j, i))
            )
            if part.is_fragment:
                other = remark_on_units(whole, part) if self.same_scale else ""
                found.append(other or remark_on_fragment(part, lacks=number != self.reference))
        return found

    def remark_on_pieces(self, number: int) -> tuple[str, ...]:
        """What is said of a specimen in pieces, by their maps from one whole specimen."""
        if number not in self.pieces:
            return ()
        samples = [self, *self.variants(number)]
        shared = set.intersection(*({p for p in each.steps if number in p} for each in samples))
        maps = []
        if shared:
            (other,) = set(min(shared)) - {number}
            routes = [each.direct_route(other, number) for each in samples]
            maps = [route.chains[0].steps[0] for route in routes]
        return (remark_on_pieces([each.specimens[number] for each in samples], maps),)
