# SPDX-License-Identifier: MIT
"""Registration of a fragment to a whole specimen, with scale, in this direction only.

Every point of the fragment has a counterpart on the whole specimen, but not the reverse. Many poses
are judged and refined at once, with nearest points looked up in a grid.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.morphometrics.matching.points import COARSE, Levels, OrientedPoints
from gplandmark.morphometrics.matching.registration import (
    FACING,
    Pose,
    normal_equations,
    robust_weights,
)
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import rotation_matrices

STEPS, STILL = 25, 1e-4  # maximal number of iterations; step at which they stop
CELLS = 56  # of the grid, along the longest side of the whole
MARGIN = 0.1  # around the whole, in units of size
FARTHEST = 0.15  # feature distance above which a point has no counterpart
BATCH = 4000  # poses that are judged at once
RIDGE = 1e-4  # relative to the mean eigenvalue
LARGEST_STEP = 0.3  # of an iteration
TRUST = 0.003  # in a known scale, as the weight of the squared logarithm of the deviation from it


@dataclass(frozen=True, eq=False)
class Proposals:
    """Poses x -> c x Q + s: rotations (n, 3, 3), shifts (n, 3) and scales (n,)."""

    rotations: FloatArray
    shifts: FloatArray
    scales: FloatArray

    def chosen(self, rows: IndexArray) -> "Proposals":
        """Some of them."""
        return Proposals(self.rotations[rows], self.shifts[rows], self.scales[rows])

    def pose(self, row: int) -> Pose:
        """One of them."""
        return Pose(self.rotations[row], self.shifts[row], float(self.scales[row]))


class NearestPoints:
    """The nearest of the points of a surface, looked up in a grid."""

    def __init__(self, points: OrientedPoints) -> None:
        self.points = points
        self.low = points.positions.min(axis=0) - MARGIN
        extent = points.positions.max(axis=0) + MARGIN - self.low
        self.step = float(extent.max() / CELLS)
        self.shape = np.ceil(extent / self.step).astype(np.int64)
        corners = np.indices(self.shape).reshape(3, -1).T
        middles = self.low + (corners + 0.5) * self.step
        self.nearest = scipy.spatial.cKDTree(points.positions).query(middles)[1].astype(np.int32)

    def to(self, places: FloatArray) -> IndexArray:
        """Indices (...,) of the points nearest to places (..., 3)."""
        cells = ((places - self.low) / self.step).astype(np.int32)
        np.clip(cells, 0, (self.shape - 1).astype(np.int32), out=cells)
        flat = (cells[..., 0] * self.shape[1] + cells[..., 1]) * self.shape[2] + cells[..., 2]
        return np.asarray(self.nearest[flat])


def bounded_costs(fragment: OrientedPoints, grid: NearestPoints, starts: Proposals) -> FloatArray:
    """Mean squared distance (n,) by position and normal, bounded for every point."""
    found = []
    weights = fragment.weights / fragment.weights.sum()
    target = grid.points
    for begin in range(0, len(starts.scales), BATCH):
        part = slice(begin, begin + BATCH)
        turn = starts.rotations[part]
        places = starts.scales[part, None, None] * _turned(fragment.positions, turn)
        places += starts.shifts[part, None]
        near = grid.to(places)
        offsets = places - target.positions[near]
        squares = np.einsum("nki,nki->nk", offsets, offsets)
        cosines = np.einsum("nki,nki->nk", _turned(fragment.normals, turn), target.normals[near])
        squares += 2 * COARSE.normal**2 * (1 - cosines)
        found.append(np.minimum(squares, FARTHEST**2) @ weights)
    return np.concatenate(found)


def _turned(vectors: FloatArray, rotations: FloatArray) -> FloatArray:
    """Vectors (k, 3) under each of the rotations, (n, k, 3), by one matrix product."""
    columns = rotations.transpose(1, 0, 2).reshape(3, -1)
    return np.asarray((vectors @ columns).reshape(len(vectors), -1, 3).transpose(1, 0, 2))


def refine_many(
    fragment: OrientedPoints,
    grid: NearestPoints,
    starts: Proposals,
    steps: int,
    known: float | None = None,
) -> Proposals:
    """Point-to-plane registration with scale, of many poses at once, from fragment to whole.

    Scales are drawn to the `known` one.
    """
    target = grid.points
    rotations, shifts, scales = starts.rotations, starts.shifts, starts.scales
    for _ in range(steps):
        places = scales[:, None, None] * _turned(fragment.positions, rotations) + shifts[:, None]
        normals = _turned(fragment.normals, rotations)
        near = grid.to(places)
        across = target.normals[near]
        offsets = target.positions[near] - places
        facing = np.einsum("nki,nki->nk", normals, across) > FACING
        close = (offsets**2).sum(axis=2) < FARTHEST**2
        gaps = np.einsum("nki,nki->nk", offsets, across)
        middles = places.mean(axis=1, keepdims=True)
        turn, shift, growth = _solved(
            places - middles, across, gaps, fragment.weights * facing * close,
            None if known is None else np.log(known / scales),
        )  # fmt: skip
        matrix = np.swapaxes(rotation_matrices(turn), 1, 2)
        scales = scales * np.exp(growth)
        rotations = rotations @ matrix
        moved = np.einsum("ni,nij->nj", shifts - middles[:, 0], matrix)
        shifts = np.exp(growth)[:, None] * moved + middles[:, 0] + shift
    return Proposals(rotations, shifts, scales)


def _solved(
    arms: FloatArray,
    across: FloatArray,
    gaps: FloatArray,
    weights: FloatArray,
    expected: FloatArray | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rotation vectors (n, 3), shifts (n, 3) and growths (n,) of a step.

    `expected` (n,) are the growths to a known scale.
    """
    medians = np.median(np.abs(gaps), axis=1, keepdims=True)
    system, goal = normal_equations(arms, across, gaps, robust_weights(weights, gaps, medians))
    ridge = RIDGE * np.trace(system, axis1=1, axis2=2) / 7 + 1e-9
    system[:, range(7), range(7)] += ridge[:, None]
    if expected is not None:
        system[:, 6, 6] += TRUST
        goal[:, 6] += TRUST * expected
    step = np.linalg.solve(system, goal[..., None])[..., 0]
    step = np.clip(step, -LARGEST_STEP, LARGEST_STEP)
    return step[:, :3], step[:, 3:6], step[:, 6]


def refine_one(
    fragment: OrientedPoints,
    whole: OrientedPoints,
    tree: "scipy.spatial.cKDTree",
    pose: Pose,
    known: float | None = None,
) -> Pose:
    """One pose, with exact nearest points; its scale is drawn to the `known` one."""
    for _ in range(STEPS):
        places, normals = pose.at(fragment.positions), fragment.normals @ pose.rotation
        apart, near = tree.query(places)
        across = whole.normals[near]
        weights = fragment.weights * (np.einsum("ij,ij->i", normals, across) > FACING)
        weights = weights * (apart < FARTHEST)
        gaps = np.einsum("ij,ij->i", whole.positions[near] - places, across)
        middle = places.mean(axis=0)
        turn, shift, growth = _solved(
            (places - middle)[None], across[None], gaps[None], weights[None],
            None if known is None else np.log([known / pose.scale]),
        )  # fmt: skip
        matrix = rotation_matrices(turn)[0].T
        factor = float(np.exp(growth[0]))
        step = Pose(matrix, middle - factor * middle @ matrix + shift[0], factor)
        pose = pose.then(step)
        if max(np.abs(turn).max(), np.abs(shift).max(), np.abs(growth).max()) < STILL:
            break
    return pose


def refine_one_way(fragment: Levels, whole: Levels, pose: Pose, known: float | None = None) -> Pose:
    """Refine a pose and its scale from the fragment to the whole specimen only."""
    tree = scipy.spatial.cKDTree(whole[-1].positions)
    return refine_one(fragment[2], whole[-1], tree, pose, known)
