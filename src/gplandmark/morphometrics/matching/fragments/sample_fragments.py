# SPDX-License-Identifier: MIT
"""Fragments in a sample: recognised, and joined to whole specimens, which they never change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gplandmark.morphometrics.matching.fragments.pieces import large_pieces, sampled_pieces
from gplandmark.morphometrics.matching.fragments.recognition import (
    DOUBTFUL,
    FragmentTask,
    at_whole_size,
    lacking_share,
    may_be_broken,
    rescaled,
    search_fragment,
)
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.sample_graph import Pair, agreement, majority_poses
from gplandmark.morphometrics.matching.sample_maps import Run
from gplandmark.morphometrics.matching.sample_match import Piece, SampleMatch
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.numerics.arrays import FloatArray

COMPARED = 5  # specimens with which one is compared that may be a fragment
FIRST = 3  # of them that are asked first: if they agree, they are the majority
UNCLEAR = 2  # if the pose on none of them is clear, which takes longer
SEARCHED = 4  # whole specimens, and the reference, in which a fragment is searched for


def find_fragments(sample: SampleMatch, numbers: Iterable[int], *, run: Run) -> set[int]:
    """Those of the specimens of a given number that are fragments.

    Each with a long open border is compared with the most similar ones. It is a fragment if most
    of them have a part beyond that border.
    """
    tasks = {
        number: [_task(sample, number, *other) for other in _most_similar(sample, number)]
        for number in numbers
        if may_be_broken(sample.specimens[number])
    }
    values = _values({number: each[:FIRST] for number, each in tasks.items()}, run)
    others = {number: tasks[number][FIRST:] for number, each in values.items() if _disagree(each)}
    for number, each in (_values(others, run) if others else {}).items():
        values[number] += each
    return {number for number, each in values.items() if each and np.median(each) > 1}


def _values(tasks: Mapping[int, Sequence[FragmentTask]], run: Run) -> dict[int, list[float]]:
    """What each specimen lacks of those that it is compared with, over what is significant."""
    found = iter(run(lacking_share, [task for each in tasks.values() for task in each]))
    return {number: [next(found) for _ in each] for number, each in tasks.items()}


def _disagree(values: Sequence[float]) -> bool:
    """Whether some say that a specimen lacks a part, and others that it does not."""
    return len({value > 1 for value in values}) > 1


def find_pieces(
    sample: SampleMatch, numbers: Iterable[int], *, run: Run
) -> dict[int, list[SampledSurface]]:
    """The pieces of those specimens of a given number that are in several, the largest first.

    Each piece of a scan is compared with the nearest specimens that are in one piece. Those are
    pieces of a broken specimen that have a part of most of them beyond their border, at least two.
    """
    cut = {number: large_pieces(sample.specimens[number].surface) for number in numbers}
    found = {}
    for number in [each for each, pieces in cut.items() if pieces]:
        nearest = sorted(others_of(sample.alignments, number).items(), key=_by_distance)
        others = [(k, sample.specimens[k]) for k, _ in nearest[:COMPARED]]
        wholes = [k for k, s in others if not (s.is_fragment or large_pieces(s.surface))]
        if not wholes:
            continue
        pieces = sampled_pieces(sample.specimens[number], run(sample_surface, cut[number]))
        tasks = [
            replace(_task(sample, number, other, None), fragment=piece)
            for piece in pieces
            for other in wholes[:UNCLEAR]
        ]
        values = np.array(list(run(lacking_share, tasks))).reshape(len(pieces), -1)
        broken = [piece for piece, each in zip(pieces, values, strict=True) if np.median(each) > 1]
        if len(broken) > 1:
            found[number] = broken
    return found


def others_of(alignments: Mapping[Pair, Alignment], number: int) -> dict[int, Alignment]:
    """Alignments of one specimen to each that it was compared with."""
    found = {}
    for (i, j), each in alignments.items():
        if number == i:
            found[j] = each
        elif number == j:
            found[i] = replace(each, pose=each.pose.inverse())
    return found


def _most_similar(sample: SampleMatch, number: int) -> list[tuple[int, Alignment]]:
    """The most similar specimens, those with a clear pose; if there are none, the first two."""
    nearest = sorted(others_of(sample.alignments, number).items(), key=_by_distance)[:COMPARED]
    clear = [(other, found) for other, found in nearest if found.certainty >= DOUBTFUL]
    return clear or nearest[:UNCLEAR]


def _by_distance(item: tuple[int, Alignment]) -> float:
    return item[1].distance


def _task(
    sample: SampleMatch, fragment: int, whole: int, alignment: Alignment | None
) -> FragmentTask:
    asymmetric = float(sample.asymmetry[whole]) if len(sample.asymmetry) else np.inf
    return FragmentTask(
        sample.specimens[fragment], sample.specimens[whole], alignment, asymmetric,
        sample.reflections, sample.same_scale,
    )  # fmt: skip


def among_all(
    wholes: SampleMatch,
    numbers: Sequence[int],
    everything: SampleMatch,
) -> SampleMatch:
    """A sample of whole specimens with room for fragments: it has all specimens, in their order.

    `numbers` are those of the whole specimens among `everything`. The others are joined later.
    """
    count = len(everything)
    poses = [wholes.poses[wholes.reference]] * count
    agreed, distances = np.zeros(count), np.full((count, count), np.inf)
    for row, number in enumerate(numbers):
        poses[number], agreed[number] = wholes.poses[row], wholes.agreement[row]
    distances[np.ix_(numbers, numbers)] = wholes.distances
    return replace(
        wholes,
        specimens=everything.specimens,
        reference=numbers[wholes.reference],
        distances=distances,
        alignments={(numbers[i], numbers[j]): each for (i, j), each in wholes.alignments.items()},
        tree=tuple((numbers[i], numbers[j]) for i, j in wholes.tree),
        poses=tuple(poses),
        asymmetry=everything.asymmetry,
        agreement=agreed,
        together=count,
        same_scale=everything.same_scale,
    )


def join_broken(
    sample: SampleMatch,
    number: int,
    likely: Sequence[int],
    pieces: Sequence[SampledSurface],
    *,
    run: Run,
) -> SampleMatch:
    """Join a fragment, as `join_fragment`; or each piece of a specimen that is in several."""
    if not pieces:
        return join_fragment(sample, number, likely, run=run)
    specimens = list(sample.specimens)
    joined = []
    for piece in pieces:
        specimens[number] = piece
        part = replace(sample, specimens=tuple(specimens))
        joined.append(join_fragment(part, number, likely, run=run))
    others = tuple(
        Piece(
            each.specimens[number], each.poses[number], float(each.agreement[number]),
            each.distances[number], {},
        )
        for each in joined[1:]
    )  # fmt: skip
    return replace(joined[0], pieces={**sample.pieces, number: others})


def join_fragment(
    sample: SampleMatch, number: int, likely: Sequence[int], *, run: Run
) -> SampleMatch:
    """Find a fragment in whole specimens, and join it to the one that it fits best.

    Parameters
    ----------
    sample : has the specimen, but no alignment of it
    likely : whole specimens, the most similar ones first
    """
    root = sample.reference
    chosen = sorted({*likely[:SEARCHED], *([] if sample.specimens[root].is_fragment else [root])})
    tasks = [_task(sample, number, other, None) for other in chosen]
    found: dict[int, Alignment] = dict(zip(chosen, run(search_fragment, tasks), strict=True))
    part = sample.specimens[number]
    good = [each for each in found.values() if each.certainty >= DOUBTFUL] or [*found.values()]
    length = float(np.median([part.size / each.pose.scale for each in good]))
    (fragment,) = run(at_whole_size, [(part, length)])
    found = {other: rescaled(each, length / part.size) for other, each in found.items()}
    best = min(found, key=lambda other: found[other].distance)
    poses = list(sample.poses)
    poses[number] = found[best].pose.then(poses[best])
    alignments = dict(sample.alignments)
    for other, each in found.items():
        back = replace(each, pose=each.pose.inverse())
        alignments[min(number, other), max(number, other)] = each if number < other else back
    poses = majority_poses(poses, alignments, [number])
    agreed = sample.agreement.copy()
    agreed[number] = agreement(poses, alignments, [number])[0]
    return replace(
        sample,
        specimens=tuple(fragment if k == number else s for k, s in enumerate(sample.specimens)),
        distances=_with_row(sample.distances, number, found),
        alignments=alignments,
        tree=(*sample.tree, (min(number, best), max(number, best))),
        poses=tuple(poses),
        agreement=agreed,
    )


def _with_row(distances: FloatArray, number: int, found: Mapping[int, Alignment]) -> FloatArray:
    """Distances with those of one specimen: as found, and to others the shortest way."""
    table = distances.copy()
    others = list(found)
    apart = np.array([found[other].distance for other in others])
    row = (table[others] + apart[:, None]).min(axis=0)
    row[others], row[number] = apart, 0.0
    table[number], table[:, number] = row, row
    return table
