# SPDX-License-Identifier: MIT
"""The graph of a sample: compared pairs, minimum spanning tree, poses and shortest paths."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import scipy

from gplandmark.morphometrics.matching.points import Levels
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import FloatArray

Pair = tuple[int, int]
NEIGHBOURS = 25  # specimens with which each is compared in a large sample
VOTERS = 7  # nearest specimens that vote on a pose
AGREES = np.pi / 4  # angle below which two poses agree
SWEEPS, MAJORITY = 10, 2.0  # a pose that is outvoted two to one is replaced


def signature(levels: Levels) -> FloatArray:
    """Shape descriptor of a specimen, invariant to pose, reflection and unit.

    Deciles over the area of the distance from the centre |x|, of <x, n> and of the local form.
    """
    points = levels[1]
    reach = np.linalg.norm(points.positions, axis=1)
    outwards = np.einsum("ij,ij->i", points.positions, points.normals)
    values = np.column_stack([reach, outwards, points.form])
    order = np.argsort(values, axis=0)
    fractions = np.cumsum(points.weights[order], axis=0)
    at = np.array([np.searchsorted(column, np.arange(0.05, 1, 0.1)) for column in fractions.T])
    sorted_values = np.take_along_axis(values, order, axis=0)
    return np.take_along_axis(sorted_values, np.minimum(at.T, len(values) - 1), axis=0).ravel()


def compared_pairs(signatures: Sequence[FloatArray], neighbours: int = NEIGHBOURS) -> list[Pair]:
    """Pairs of specimens to compare: all of them, or the most similar ones in a large sample.

    Each specimen is compared with those of the most similar signatures. The pairs of a minimum
    spanning tree of the signatures keep the graph connected.
    """
    count = len(signatures)
    if count <= neighbours + 1:
        return list(combinations(range(count), 2))
    apart = scipy.spatial.distance.cdist(np.array(signatures), np.array(signatures))
    nearest = np.argsort(apart, axis=1, kind="stable")[:, 1 : neighbours + 1]
    pairs = {(min(i, j), max(i, j)) for i in range(count) for j in nearest[i].tolist()}
    # A sparse graph would take the distance 0 of equal specimens for no edge.
    return sorted(pairs.union(spanning_edges(apart + np.finfo(float).eps)))


def likely_neighbours(
    signatures: Sequence[FloatArray], specimen: int, neighbours: int = NEIGHBOURS
) -> list[int]:
    """Earlier specimens to compare with one: those of the most similar signatures."""
    apart = scipy.spatial.distance.cdist(
        np.array(signatures[:specimen]), signatures[specimen][None]
    )[:, 0]
    return sorted(int(k) for k in np.argsort(apart, kind="stable")[:neighbours])


def distance_matrix(alignments: Mapping[Pair, Alignment], count: int) -> FloatArray:
    """Distances of all pairs, (n, n); shortest paths for pairs that were not compared."""
    table = np.zeros((count, count))
    for (i, j), found in alignments.items():
        table[i, j] = table[j, i] = max(found.distance, np.finfo(float).eps)
    if len(alignments) < count * (count - 1) // 2:
        compared = table.copy()
        table = np.where(
            compared > 0,
            compared,
            scipy.sparse.csgraph.shortest_path(scipy.sparse.csr_matrix(compared)),
        )
    return np.asarray(table)


def spanning_edges(distances: FloatArray) -> list[Pair]:
    """Edges of the minimum spanning tree of the distances."""
    tree = scipy.sparse.csgraph.minimum_spanning_tree(scipy.sparse.csr_matrix(distances)).tocoo()
    edges = zip(tree.row.tolist(), tree.col.tolist(), strict=True)
    return sorted((min(i, j), max(i, j)) for i, j in edges)


def medoid(distances: FloatArray) -> int:
    """The specimen with the smallest sum of squared distances to all others."""
    return int(np.argmin((distances**2).sum(axis=1)))


def poses_along_tree(
    edges: Sequence[Pair], alignments: Mapping[Pair, Alignment], count: int, root: int
) -> list[Pose]:
    """Pose of every specimen relative to the root, composed along the tree."""
    poses: dict[int, Pose] = {root: Pose(np.eye(3), np.zeros(3))}
    while len(poses) < count:
        for i, j in edges:
            if i in poses and j not in poses:
                poses[j] = alignments[i, j].pose.inverse().then(poses[i])
            elif j in poses and i not in poses:
                poses[i] = alignments[i, j].pose.then(poses[j])
    return [poses[k] for k in range(count)]


def majority_poses(
    poses: Sequence[Pose], alignments: Mapping[Pair, Alignment], movable: Sequence[int]
) -> list[Pose]:
    """Poses corrected by majority vote of the most similar specimens.

    Each of the nearest specimens proposes the pose that its own comparison gives. The support of a
    proposal is the sum of the certainties of all proposals that agree with it. A pose that is
    outvoted two to one is replaced. Sweeps over the specimens end when no pose changes.
    """
    current = list(poses)
    nearest = _nearest(alignments, movable)
    for _ in range(SWEEPS):
        moved = False
        for specimen, pairs in nearest.items():
            votes = _votes(current, alignments, pairs, specimen)
            support = [_support(votes, pose) for _, pose in votes]
            best = int(np.argmax(support)) if support else 0
            if support and support[best] > MAJORITY * _support(votes, current[specimen]):
                current[specimen], moved = votes[best][1], True
        if not moved:
            break
    return current


def agreement(
    poses: Sequence[Pose], alignments: Mapping[Pair, Alignment], specimens: Sequence[int]
) -> FloatArray:
    """For each of some specimens, the fraction of the nearest that agree with its pose, 0 to 1.

    This is loop consistency: from the specimen to the root to a neighbour, against the direct
    comparison. Votes are weighted by their certainty, and the result is multiplied by the largest
    certainty that agrees. A specimen that was compared with no other has agreement 1.
    """
    nearest = _nearest(alignments, specimens)
    votes = (_votes(poses, alignments, nearest[each], each) for each in specimens)
    return np.array(
        [_agreed(each, poses[number]) for number, each in zip(specimens, votes, strict=True)]
    )


def _agreed(votes: Sequence[tuple[float, Pose]], pose: Pose) -> float:
    """The fraction of votes that agree with a pose; 1 if there are none."""
    if not votes:
        return 1.0
    agrees = [certainty for certainty, other in votes if _same(other, pose)]
    total = sum(certainty for certainty, _ in votes)
    return float(sum(agrees) / total * max(agrees)) if agrees and total > 0 else 0.0


def _nearest(
    alignments: Mapping[Pair, Alignment], specimens: Sequence[int]
) -> dict[int, list[Pair]]:
    """For each of some specimens, pairs with those most similar to it, the most similar first."""
    pairs: dict[int, list[Pair]] = {specimen: [] for specimen in specimens}
    for pair in alignments:
        for specimen in pair:
            if specimen in pairs:
                pairs[specimen].append(pair)
    return {
        specimen: sorted(each, key=lambda pair: alignments[pair].distance)[:VOTERS]
        for specimen, each in pairs.items()
    }


def _votes(
    poses: Sequence[Pose],
    alignments: Mapping[Pair, Alignment],
    pairs: Sequence[Pair],
    specimen: int,
) -> list[tuple[float, Pose]]:
    """Certainty and pose that the other specimen of each pair proposes."""
    return [
        (
            alignments[i, j].certainty,
            alignments[i, j].pose.then(poses[j])
            if specimen == i
            else alignments[i, j].pose.inverse().then(poses[i]),
        )
        for i, j in pairs
    ]


def _support(votes: Sequence[tuple[float, Pose]], pose: Pose) -> float:
    return sum(certainty for certainty, other in votes if _same(other, pose))


def _same(pose: Pose, other: Pose) -> bool:
    return pose.angle_to(other) < AGREES


def shortest_route(costs: Mapping[Pair, float], count: int, start: int, end: int) -> list[int]:
    """Specimens from start to end along the path with the smallest sum of squared distances.

    Empty if there is no path.
    """
    one, two = np.array([*costs], dtype=np.int64).reshape(-1, 2).T
    squares = np.maximum(np.array([*costs.values()]), 1e-9) ** 2
    edges = scipy.sparse.csr_matrix(
        (np.append(squares, squares), (np.append(one, two), np.append(two, one))), (count, count)
    )
    edges.sort_indices()
    _, before = scipy.sparse.csgraph.shortest_path(edges, indices=start, return_predecessors=True)
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
        if path[-1] < 0:
            return []
    return path[::-1]
