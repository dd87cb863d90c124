# SPDX-License-Identifier: MIT
"""Specimens as a graph: who is compared, who is joined, and which way leads from one to another."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from scipy.spatial.distance import cdist

from gplandmark.morphometrics.matching.points import Levels
from gplandmark.morphometrics.matching.pose import Pose
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.numerics.arrays import FloatArray

__all__ = [
    "Pair",
    "agreement",
    "compared_pairs",
    "distance_matrix",
    "likely_neighbours",
    "medoid",
    "poses_over",
    "settled",
    "signature",
    "spanning_edges",
    "way",
]

Pair = tuple[int, int]
NEIGHBOURS = 25  # specimens that each is compared with, where there are many
VOTERS = 7  # nearest specimens that are asked whether a pose is right
AGREES = np.pi / 4  # angle up to which two poses are the same
SWEEPS, MAJORITY = 10, 2.0  # who is outvoted two to one moves


def signature(levels: Levels) -> FloatArray:
    """A few numbers of a specimen that no pose, reflection or unit changes.

    Deciles over the area of the distance from the centre, of <x, n> and of the form.
    """
    points = levels[1]
    reach = np.linalg.norm(points.positions, axis=1)
    outwards = np.einsum("ij,ij->i", points.positions, points.normals)
    values = np.column_stack([reach, outwards, points.form])
    order = np.argsort(values, axis=0)
    shares = np.cumsum(points.weights[order], axis=0)
    at = np.array([np.searchsorted(column, np.arange(0.05, 1, 0.1)) for column in shares.T])
    sorted_values = np.take_along_axis(values, order, axis=0)
    return np.take_along_axis(sorted_values, np.minimum(at.T, len(values) - 1), axis=0).ravel()


def compared_pairs(signatures: Sequence[FloatArray], neighbours: int = NEIGHBOURS) -> list[Pair]:
    """Pairs of specimens worth comparing: all of them, or the likely ones where there are many.

    Each specimen is compared with those of the most similar signatures, and the pairs of a
    spanning tree of the signatures keep the sample together.
    """
    count = len(signatures)
    if count <= neighbours + 1:
        return list(combinations(range(count), 2))
    apart = cdist(np.array(signatures), np.array(signatures))
    nearest = np.argsort(apart, axis=1, kind="stable")[:, 1 : neighbours + 1]
    pairs = {_sorted(i, int(j)) for i in range(count) for j in nearest[i]}
    # Equal specimens have the distance 0, which a sparse graph would take for no edge.
    return sorted(pairs | set(_tree(apart + np.finfo(float).eps)))


def likely_neighbours(
    signatures: Sequence[FloatArray], specimen: int, neighbours: int = NEIGHBOURS
) -> list[int]:
    """Specimens before one that are worth comparing with it: those of similar signatures."""
    apart = cdist(np.array(signatures[:specimen]), signatures[specimen][None])[:, 0]
    return sorted(int(k) for k in np.argsort(apart, kind="stable")[:neighbours])


def distance_matrix(alignments: Mapping[Pair, Alignment], count: int) -> FloatArray:
    """Distances of all pairs, (n, n); where two were not compared, over those between them."""
    table = np.zeros((count, count))
    for (i, j), found in alignments.items():
        table[i, j] = table[j, i] = max(found.distance, np.finfo(float).eps)
    if len(alignments) < count * (count - 1) // 2:
        compared = table.copy()
        table = np.where(compared > 0, compared, shortest_path(csr_matrix(compared)))
    return np.asarray(table)


def spanning_edges(distances: FloatArray) -> list[Pair]:
    """Edges of the minimum spanning tree: chains through the most similar specimens."""
    return sorted(_tree(distances))


def medoid(distances: FloatArray) -> int:
    """The specimen whose squared distances to all others have the smallest sum."""
    return int(np.argmin((distances**2).sum(axis=1)))


def poses_over(
    edges: Sequence[Pair], alignments: Mapping[Pair, Alignment], count: int, root: int
) -> list[Pose]:
    """Pose of every specimen on the root, composed along the tree."""
    poses: dict[int, Pose] = {root: Pose(np.eye(3), np.zeros(3))}
    while len(poses) < count:
        for i, j in edges:
            if i in poses and j not in poses:
                poses[j] = alignments[i, j].pose.inverse().then(poses[i])
            elif j in poses and i not in poses:
                poses[i] = alignments[i, j].pose.then(poses[j])
    return [poses[k] for k in range(count)]


def settled(
    poses: Sequence[Pose], alignments: Mapping[Pair, Alignment], movable: Sequence[int]
) -> list[Pose]:
    """Poses on which neighbours agree: who is outvoted takes the pose of the majority.

    Each of the nearest specimens proposes the pose that its own comparison gives. A proposal has
    the certainty of all that agree with it. Sweeps over the specimens end when nobody moves.
    """
    current = list(poses)
    nearest = {specimen: _nearest(alignments, specimen) for specimen in movable}
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


def agreement(poses: Sequence[Pose], alignments: Mapping[Pair, Alignment], specimen: int) -> float:
    """Share of the nearest specimens whose own comparison agrees with the pose, 0 to 1.

    This closes loops: the chain from specimen to root to neighbour, and the direct comparison.
    Votes count as much as they are certain, and all together no more than the most certain one
    that agrees. A specimen that nobody was compared with agrees with itself.
    """
    votes = _votes(poses, alignments, _nearest(alignments, specimen), specimen)
    if not votes:
        return 1.0
    agrees = [certainty for certainty, pose in votes if _same(pose, poses[specimen])]
    total = sum(certainty for certainty, _ in votes)
    return float(sum(agrees) / total * max(agrees)) if agrees and total > 0 else 0.0


def _nearest(alignments: Mapping[Pair, Alignment], specimen: int) -> list[Pair]:
    """Pairs of a specimen with those most like it, the most similar first."""
    pairs = [pair for pair in alignments if specimen in pair]
    return sorted(pairs, key=lambda pair: alignments[pair].distance)[:VOTERS]


def _votes(
    poses: Sequence[Pose],
    alignments: Mapping[Pair, Alignment],
    pairs: Sequence[Pair],
    specimen: int,
) -> list[tuple[float, Pose]]:
    """Certainty and pose that the other of each pair proposes."""
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


def way(costs: Mapping[Pair, float], count: int, start: int, end: int) -> list[int]:
    """Specimens from start to end over edges with the smallest sum of squared distances.

    Empty where no way leads there.
    """
    one, two = np.array([*costs], dtype=np.int64).reshape(-1, 2).T
    squares = np.maximum(np.array([*costs.values()]), 1e-9) ** 2
    edges = csr_matrix(
        (np.append(squares, squares), (np.append(one, two), np.append(two, one))), (count, count)
    )
    edges.sort_indices()
    _, before = shortest_path(edges, indices=start, return_predecessors=True)
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
        if path[-1] < 0:
            return []
    return path[::-1]


def _tree(distances: FloatArray) -> set[Pair]:
    tree = minimum_spanning_tree(csr_matrix(distances)).tocoo()
    return {_sorted(int(i), int(j)) for i, j in zip(tree.row, tree.col, strict=True)}


def _sorted(i: int, j: int) -> Pair:
    return (i, j) if i < j else (j, i)
