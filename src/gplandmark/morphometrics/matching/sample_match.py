# SPDX-License-Identifier: MIT
"""Maps between all specimens of a sample, and landmarks carried along them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.curves_on_surface import equidistant_curves
from gplandmark.landmarks.record import describe_input, software_versions
from gplandmark.morphometrics.matching.carried_points import (
    MIN_CONFIDENCE,
    NOT_ON_FRAGMENT,
    SHARE,
    Carried,
)
from gplandmark.morphometrics.matching.carry import MapChain, PairMap, Route
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
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray

WAYS = 2  # chains of maps that are combined; no map is in two of them


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

    def __len__(self) -> int:
        return len(self.specimens)

    @property
    def mirrored(self) -> BoolArray:
        """Which specimens are mirror images of the reference, (n,)."""
        return np.array([pose.reflects for pose in self.poses])

    def carry(
        self, points: npt.ArrayLike, source: int, target: int, *, on_surface: bool = False
    ) -> Carried:
        """Carry points (m, 3) of one specimen's file to another, along the best chains of maps."""
        return self.route(source, target).carry(points, on_surface=on_surface)

    def route(self, source: int, target: int) -> Route:
        """Chains of maps from one specimen to another: the best, and the best without its maps.

        The best chain is the path with the smallest sum of squared distances. It visits only
        whole specimens that were in the sample when the later of both was added, so that adding
        specimens changes no earlier result.
        """
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
        return self._route(source, target, tuple(chains))

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
        for specimen, fraction in zip(self.specimens, self.agreement, strict=True):
            if fraction < MIN_CONFIDENCE:
                found.append(
                    f"{specimen.name}: few of the most similar specimens agree with its pose "
                    f"({100 * fraction:.0f} %), so its landmarks are doubtful."
                )
        return tuple(found)

    def _remarks_on_fragments(self) -> list[str]:
        """What is said of every fragment; of one in another unit only that, if all share one."""
        found = []
        for i, j in self.tree:
            whole, part = (
                self.specimens[k] for k in ((i, j) if self.specimens[j].is_fragment else (j, i))
            )
            if part.is_fragment:
                other = remark_on_units(whole, part) if self.same_scale else ""
                found.append(other or remark_on_fragment(part))
        return found


def carry_landmarks(
    sample: SampleMatch,
    landmarks: Landmarks,
    *,
    source: int | None = None,
    least: float = MIN_CONFIDENCE,
    on_surface: bool = False,
) -> tuple[Landmarks, ...]:
    """Transfer the landmarks of one specimen to every specimen, in the coordinates of its file.

    Landmarks with the same number and name are homologous. The record of each specimen contains
    their origin, under `request` and `matching`, and the expected error, the 90 % radius and the
    confidence of each landmark. Points of curves are at equal distances on every specimen, also on
    the source.

    Parameters
    ----------
    landmarks : placed on the source, by the method or by a person
    source : index of their specimen; by default the reference
    least : landmarks of a lower confidence are missing: their points are NaN
    on_surface : project all to the surface; otherwise those off the surface keep their offset
    """
    instance(sample, SampleMatch, "Use gplandmark.match_sample first.")
    instance(landmarks, Landmarks, "Use gplandmark.read_landmarks first.")
    start = sample.reference if source is None else source
    routes = (sample.route(start, end) for end in range(len(sample)))
    return tuple(
        landmarks_over(route, landmarks, len(sample), least=least, on_surface=on_surface)
        for route in routes
    )


def landmarks_over(
    route: Route,
    landmarks: Landmarks,
    specimens: int,
    *,
    least: float = MIN_CONFIDENCE,
    on_surface: bool = False,
) -> Landmarks:
    """Carry landmarks from the first specimen of a route to its last.

    Points of curves are at equal distances there, also if both are the same specimen. The record
    states the number of specimens in the sample.
    """
    known = ~landmarks.missing
    carried = route.carry(landmarks.points[known], on_surface=on_surface)
    made = landmarks.record
    matching = {
        "from": route.start.name,
        "over": list(route.over),
        "specimens": specimens,
        "least_confidence": least,
    }
    there = known.copy()
    there[known] = ~carried.absent
    outcome = {
        **made.outcome,
        "mirrored": route.mirrored,
        "confidence": _listed(carried.confidence[~carried.absent], there, ".4f"),
        "expected_error": _listed(carried.error[~carried.absent], there, ".4g"),
        "radius_90": _listed(carried.radius[~carried.absent], there, ".4g"),
    }
    if route.end.is_fragment:
        names = np.array(landmarks.labels)[known][carried.absent]
        outcome |= {SHARE: round(route.end.share, 3), NOT_ON_FRAGMENT: names.tolist()}
    request = {**made.request, "matching": matching}
    scan, versions = describe_input(route.end.surface), software_versions()
    record = Record(scan, made.settings, request, outcome, made.warnings, versions)
    if not route.chains:
        same = replace(landmarks, specimen=route.end.name, record=record)
        return equidistant_curves(route.end.surface, same)
    points = np.full(landmarks.points.shape, np.nan)
    points[known] = carried.kept(least)
    found = Landmarks.at(
        points, route.end.name, labels=landmarks.labels, classes=landmarks.classes,
        kinds=landmarks.kinds, record=record, system=route.end.surface.system,
        curves=landmarks.curves,
    )  # fmt: skip
    return equidistant_curves(route.end.surface, found)


def _listed(values: FloatArray, known: BoolArray, spelling: str) -> list[float | None]:
    """One rounded value for each known landmark, in order; None for the others."""
    found = iter(values.tolist())
    return [float(format(next(found), spelling)) if each else None for each in known]
