# SPDX-License-Identifier: MIT
"""Search for the place of a fragment in a whole specimen, in any pose and at an unknown scale.

Principal axes of a fragment are not those of the whole. Poses are therefore proposed by single
points with a similar local form, and refined in one direction only: every point of the fragment
has a counterpart on the whole specimen, but not the reverse.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from gplandmark.gp.theory.fill_distance import farthest_points
from gplandmark.morphometrics.matching.fragments.one_way_registration import (
    FARTHEST,
    NearestPoints,
    Proposals,
    bounded_costs,
    refine_many,
    refine_one,
)
from gplandmark.morphometrics.matching.points import Levels, OrientedPoints
from gplandmark.morphometrics.matching.pose_search import APART
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sampling import local_form
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import perpendicular_vectors, rotation_matrices

SCALES = tuple(np.geomspace(0.5, 1.0, 5).tolist())  # size of the fragment over that of the whole
ANCHORS, ALIKE, SPINS = 8, 40, 14  # points of the fragment, of the whole for each, and rotations
SCORED = 50  # points of the fragment by which a proposal is judged
KEPT, FINAL = 240, 10  # proposals that are refined roughly, and finely
STEPS = 12  # of the rough refinement
NEAR_BORDER = 0.08  # distance from the border, in units of size, within which form is disturbed
SMALLEST, LARGEST = 0.35, 1.15  # scales that are believed
NATURAL = 1.5  # ratio up to which sizes of specimens differ that share a unit


def candidate_poses(
    fragment: Levels,
    inner: FloatArray,
    whole: Levels,
    signs: Sequence[int],
    further: Sequence[Pose] = (),
    known: float | None = None,
) -> tuple[list[Pose], FloatArray]:
    """Possible poses of a fragment in a whole specimen, and their distances, (n,).

    Distances are divided by the root of the scale: a smaller fragment fits more easily.

    Parameters
    ----------
    fragment : in units of its own size
    inner : (m,) distance of the points of its third level from its open border, likewise
    whole : in units of its size
    signs : determinants of the rotations that are tried: 1, or 1 and -1
    further : poses that are tried besides those that are found
    known : scale of the pose between specimens of equal size, if it is known; it may deviate
        from this as far as sizes of specimens do
    """
    here, there = (Pose(_own_axes(each[0]), np.zeros(3)) for each in (fragment, whole))
    fragment, whole = (
        tuple(level.turned(pose.rotation) for level in each)
        for each, pose in ((fragment, here), (whole, there))
    )
    further = [here.inverse().then(pose).then(there) for pose in further]
    grid = NearestPoints(whole[3])
    few = _spread(fragment[0], SCORED)
    found = []
    scales = SCALES if known is None else (known,)
    for scale in scales:
        formed = with_form(fragment[2], scale)
        starts = _proposed(formed, inner, whole[1], signs, scale)
        costs = bounded_costs(few, grid, starts)
        best = np.argsort(costs, kind="stable")[: KEPT // len(scales) * 2]
        found.append((starts.chosen(best), costs[best] / scale))
    costs = np.concatenate([each for _, each in found])
    starts = _joined([each for each, _ in found])
    starts = starts.chosen(np.argsort(costs, kind="stable")[:KEPT])
    refined = refine_many(fragment[0], grid, starts, STEPS, known)
    costs = bounded_costs(fragment[0], grid, refined) / refined.scales
    tree = scipy.spatial.cKDTree(whole[-1].positions)
    order = np.argsort(costs, kind="stable")
    poses = _distinct([refined.pose(int(row)) for row in order])
    finer = [refine_one(fragment[2], whole[-1], tree, pose, known) for pose in (*poses, *further)]
    finer = [pose for pose in finer if is_believable(pose.scale, known)] or finer[:1]
    final = np.array([_distance(fragment[2], inner, whole[-1], tree, pose) for pose in finer])
    final /= np.sqrt([pose.scale for pose in finer])
    return [here.then(pose).then(there.inverse()) for pose in finer], final


def _own_axes(points: OrientedPoints) -> FloatArray:
    """Rotation (3, 3) to the principal axes of a surface, which turn with it.

    Their signs are those of the third moments. What is found then does not depend on the pose in
    the file.
    """
    centred = points.positions - points.weights @ points.positions
    axes = np.linalg.eigh(centred.T @ (points.weights[:, None] * centred))[1][:, ::-1]
    axes = axes * np.where(points.weights @ (centred @ axes) ** 3 < 0, -1.0, 1.0)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return np.asarray(axes)


def is_believable(scale: float, known: float | None) -> bool:
    """Whether a fragment may have a scale: near the known one, or as a part of a specimen has."""
    if known is None:
        return SMALLEST < scale < LARGEST
    return 1 / NATURAL < scale / known < NATURAL


def _spread(points: OrientedPoints, count: int) -> OrientedPoints:
    rows = np.linspace(0, len(points.positions) - 1, min(count, len(points.positions))).astype(int)
    arrays = (points.positions, points.normals, points.form, points.weights)
    return OrientedPoints(*(each[rows] for each in arrays))


def with_form(points: OrientedPoints, scale: float) -> OrientedPoints:
    """Points with the local form that they have in units of the whole specimen's size."""
    form = local_form(scale * points.positions, points.normals, points.weights)
    return OrientedPoints(points.positions, points.normals, form, points.weights)


def _proposed(
    fragment: OrientedPoints,
    inner: FloatArray,
    whole: OrientedPoints,
    signs: Sequence[int],
    scale: float,
) -> Proposals:
    """Poses that take anchors of the fragment to points of the whole with a similar form.

    Normals coincide; around them, the fragment is turned in steps.
    """
    anchors = _anchors(fragment, inner, scale)
    apart = scipy.spatial.distance.cdist(fragment.form[anchors], whole.form)
    alike = np.argsort(apart, axis=1, kind="stable")[:, :ALIKE]
    here = _frames(fragment.normals[anchors])
    there = _frames(whole.normals)
    angles = np.arange(SPINS) * 2 * np.pi / SPINS
    turns = rotation_matrices(np.outer(angles, [0.0, 0.0, 1.0]))
    spins = np.concatenate([np.diag([1.0, sign, 1.0]) @ turns for sign in signs])
    rotations = np.einsum("aji,sjk,abkl->absil", here, spins, there[alike])
    moved = scale * np.einsum("ai,absij->absj", fragment.positions[anchors], rotations)
    shifts = whole.positions[alike][:, :, None] - moved
    rotations = rotations.reshape(-1, 3, 3)
    return Proposals(rotations, shifts.reshape(-1, 3), np.full(len(rotations), scale))


def _anchors(fragment: OrientedPoints, inner: FloatArray, scale: float) -> IndexArray:
    """Points far from each other, with a neighbourhood that the break did not change."""
    usable = np.flatnonzero(inner * scale > NEAR_BORDER)
    if len(usable) < ANCHORS:
        usable = np.argsort(-inner, kind="stable")[: 4 * ANCHORS]
    form = np.linalg.norm(fragment.form[usable], axis=1)
    usable = usable[np.argsort(-form, kind="stable")[: max(len(usable) // 3, ANCHORS)]]
    picks = farthest_points(fragment.positions[usable], min(ANCHORS, len(usable))).indices
    return np.asarray(usable[picks])


def _frames(normals: FloatArray) -> FloatArray:
    """Orthonormal right-handed frames (m, 3, 3) whose last row is the normal."""
    first = perpendicular_vectors(normals)[:, 0]
    return np.stack([first, np.cross(normals, first), normals], axis=1)


def _joined(parts: Sequence[Proposals]) -> Proposals:
    return Proposals(
        np.concatenate([each.rotations for each in parts]),
        np.concatenate([each.shifts for each in parts]),
        np.concatenate([each.scales for each in parts]),
    )


def _distance(
    fragment: OrientedPoints,
    inner: FloatArray,
    whole: OrientedPoints,
    tree: "scipy.spatial.cKDTree",
    pose: Pose,
) -> float:
    """Feature distance from the fragment to the whole in a pose."""
    formed = with_form(fragment, pose.scale)
    placed = replace(
        formed, positions=pose.at(formed.positions), normals=formed.normals @ pose.rotation
    )
    return feature_distance(placed, pose.scale * inner, whole, tree)


def feature_distance(
    fragment: OrientedPoints,
    inner: FloatArray,
    whole: OrientedPoints,
    tree: "scipy.spatial.cKDTree",
) -> float:
    """Root mean square feature distance to the whole, bounded for every point.

    The local form does not count near the border, where half of the surroundings is missing.

    Parameters
    ----------
    fragment : placed on the whole, in its units
    inner : (m,) distance of its points from its open border, likewise
    tree : of the whole's positions
    """
    here = fragment.features(fragment.positions, fragment.normals)
    near = tree.query(fragment.positions, 6)[1]
    there = whole.features(whole.positions, whole.normals)
    squares = (here[:, None] - there[near]) ** 2
    squares[inner < NEAR_BORDER, :, 6:] = 0.0
    squares = squares.sum(axis=2).min(axis=1)
    return float(np.sqrt(fragment.weights @ np.minimum(squares, FARTHEST**2)))


def _distinct(poses: Sequence[Pose]) -> list[Pose]:
    """The first distinct poses: by rotation or by place."""
    kept: list[Pose] = []
    for pose in poses:
        if all(differ(pose, other) for other in kept):
            kept.append(pose)
        if len(kept) == FINAL:
            break
    return kept


def differ(one: Pose, other: Pose) -> bool:
    """Whether two poses are distinct, by rotation or by place."""
    middle = float(np.linalg.norm(one.shift - other.shift))
    return one.angle_to(other) > APART / 2 or middle > 0.1
