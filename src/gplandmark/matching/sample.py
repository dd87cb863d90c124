# SPDX-License-Identifier: MIT
"""The same points on every specimen of a sample."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.errors import SettingsError
from gplandmark.matching.candidates import Alignment, align
from gplandmark.matching.carrying import LEAST, Carried, Step
from gplandmark.matching.graph import (
    Pair,
    agreement,
    compared_pairs,
    distance_matrix,
    likely_neighbours,
    medoid,
    poses_over,
    settled,
    signature,
    spanning_edges,
    way,
)
from gplandmark.matching.pairs import fit_both_ways, remarks_on
from gplandmark.matching.points import Sampled, prepare
from gplandmark.matching.rigid import Pose
from gplandmark.matching.routes import Route
from gplandmark.surface import Surface

__all__ = [
    "Run",
    "SampleMatch",
    "extend_prepared",
    "extend_sample",
    "match_prepared",
    "match_sample",
    "one_by_one",
]

Run: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


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
        when another is added.
        """
        there = max(self.together, source + 1, target + 1)
        costs = {pair: float(self.distances[pair]) for pair in self.steps if max(pair) < there}
        path = [source] if source == target else way(costs, len(self), source, target)
        ends = self.poses[source].then(self.poses[target].inverse())
        return Route(
            self.specimens[source],
            tuple(_step(self.steps, int(i), int(j)) for i, j in pairwise(path)),
            float(min(self.agreement[source], self.agreement[target])),
            ends.rotation,
            ends.reflects,
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
                self.specimens[i].name, self.specimens[j].name, self.alignments[i, j]
            )[self.alignments[i, j].pose.reflects :]
        ]
        for specimen, share in zip(self.specimens, self.agreement, strict=True):
            if share < LEAST:
                said.append(
                    f"{specimen.name}: few of the specimens most like it agree with its pose "
                    f"({100 * share:.0f} %), so its landmarks are doubtful."
                )
        return tuple(said)


def one_by_one(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
    """Run jobs in a plain loop."""
    with threadpool_limits(1):  # the matrices are small: threads would only wait for each other
        return [function(job) for job in jobs]


def match_sample(
    surfaces: Sequence[Surface], *, reference: int | None = None, run: Run = one_by_one
) -> SampleMatch:
    """Find maps between all specimens of a sample.

    Pairs are compared in a few points. Poses and reflections follow the minimum spanning tree of
    the distances, and who is outvoted by the specimens most like it is turned. Smooth maps are
    computed along the tree and from the reference to every specimen, from those poses.

    Parameters
    ----------
    surfaces : one or more
    reference : number of the specimen to carry landmarks from; by default the medoid
    run : calls a function on every job and returns the results in order, perhaps in parallel;
        functions and jobs can be sent to other processes

    Raises
    ------
    SettingsError
        There is no surface, or no specimen has the number of the reference.
    ScanError
        A surface has no triangles, or no area.
    """
    if not surfaces:
        raise SettingsError("There is no specimen to match. Give at least one surface.")
    check_reference(reference, len(surfaces))
    return match_prepared(tuple(run(prepare, surfaces)), reference=reference, run=run)


def check_reference(reference: int | None, count: int) -> None:
    """Refuse a number that no specimen has."""
    if reference is not None and not 0 <= reference < count:
        raise SettingsError(
            f"There is no specimen {reference}: they are numbered 0 to {count - 1}."
        )


def match_prepared(
    specimens: Sequence[Sampled], *, reference: int | None = None, run: Run = one_by_one
) -> SampleMatch:
    """Find maps between specimens that are sampled already; otherwise as `match_sample`."""
    count = len(specimens)
    levels = [each.levels for each in specimens]
    pairs = compared_pairs([signature(each) for each in levels])
    found = run(align, [(levels[i], levels[j]) for i, j in pairs])
    alignments = dict(zip(pairs, found, strict=True))
    distances = distance_matrix(alignments, count)
    tree = spanning_edges(distances)
    root = medoid(distances) if reference is None else reference
    chained = poses_over(tree, alignments, count, root)
    poses = settled(chained, alignments, [k for k in range(count) if k != root])
    wanted = sorted({*tree, *((min(root, k), max(root, k)) for k in range(count) if k != root)})
    return SampleMatch(
        tuple(specimens),
        root,
        distances,
        alignments,
        tuple(tree),
        tuple(poses),
        np.array([agreement(poses, alignments, k) for k in range(count)]),
        _fitted(specimens, poses, wanted, run),
        count,
    )


def extend_sample(sample: SampleMatch, surface: Surface, *, run: Run = one_by_one) -> SampleMatch:
    """Add a specimen: it joins the one most like it, and nothing of the others changes."""
    return extend_prepared(sample, prepare(surface), run=run)


def extend_prepared(sample: SampleMatch, added: Sampled, *, run: Run = one_by_one) -> SampleMatch:
    """Add a specimen that is sampled already; otherwise as `extend_sample`."""
    count = len(sample)
    specimens = (*sample.specimens, added)
    others = likely_neighbours([signature(each.levels) for each in specimens], count)
    found = run(align, [(sample.specimens[k].levels, added.levels) for k in others])
    new = {(k, count): alignment for k, alignment in zip(others, found, strict=True)}
    alignments = {**sample.alignments, **new}
    nearest = min(others, key=lambda k: new[k, count].distance)
    joined = new[nearest, count].pose.inverse().then(sample.poses[nearest])
    poses = tuple(settled((*sample.poses, joined), alignments, [count]))
    apart = np.array([new[k, count].distance for k in others])
    row = (sample.distances[others] + apart[:, None]).min(axis=0)
    row[others] = apart
    distances = np.block([[sample.distances, row[:, None]], [row, np.zeros(1)]])
    wanted = sorted({(nearest, count), (sample.reference, count)})
    return replace(
        sample,
        specimens=specimens,
        distances=distances,
        alignments=alignments,
        tree=(*sample.tree, (nearest, count)),
        poses=poses,
        agreement=np.append(sample.agreement, agreement(poses, alignments, count)),
        steps={**sample.steps, **_fitted(specimens, poses, wanted, run)},
    )


def _fitted(
    specimens: Sequence[Sampled], poses: Sequence[Pose], pairs: Sequence[Pair], run: Run
) -> dict[Pair, Step]:
    """Smooth maps of some pairs, from the poses that the sample agreed on."""
    jobs = [
        (specimens[i].levels, specimens[j].levels, poses[i].then(poses[j].inverse()))
        for i, j in pairs
    ]
    both = run(fit_both_ways, jobs)
    return {
        (i, j): Step(specimens[i], specimens[j], *deformations)
        for (i, j), deformations in zip(pairs, both, strict=True)
    }


def _step(steps: Mapping[Pair, Step], i: int, j: int) -> Step:
    return steps[i, j] if i < j else steps[j, i].reversed()
