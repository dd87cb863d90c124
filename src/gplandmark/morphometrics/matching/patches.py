# SPDX-License-Identifier: MIT
"""The last step of a map: a small patch of surface around each point finds its place by itself."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.morphometrics.matching.deformation import Composition
from gplandmark.morphometrics.matching.points import Sampled
from gplandmark.morphometrics.matching.sampling import vertices_with_normals
from gplandmark.morphometrics.matching.similarity import rotations_by
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["register_patches", "relief"]

REACH = 2.2  # radii up to which a patch has points
POINTS, FEWEST = 128, 12  # of a patch at most; with fewer it does not move
STEPS, STILL = 12, 1e-4  # at most so many; fewer if a patch hardly moves, in units of size
NEAREST, NORMAL = 4, 0.05  # vertices that are compared; length of a unit normal beside positions
FACING = 0.3  # cosine of the angle up to which two places can be the same
TOLERANCE = 3.0  # times the median: distances that count half
RIDGE = 1e-3  # of the information in a direction: what is not held by the form stays
LARGEST_TURN, LARGEST_GROWTH = 0.3, 0.2  # of a step


@dataclass(frozen=True, eq=False)
class _Vertices:
    """Vertices of a specimen in coordinates of unit size, outward normals, areas and a tree."""

    positions: FloatArray
    normals: FloatArray
    areas: FloatArray
    order: IndexArray
    tree: cKDTree


# Computed once for a specimen, and not sent to other processes.
_VERTICES: WeakKeyDictionary[Sampled, _Vertices] = WeakKeyDictionary()


def register_patches(
    source: Sampled,
    target: Sampled,
    carry: Composition,
    points: FloatArray,
    starts: FloatArray,
    radius: float,
) -> FloatArray:
    """Places (m, 3) on the target to which patches around points (m, 3) of the source move.

    The vertices around a point, carried by the map and shifted so that the point comes to its
    start (m, 3), turn, grow and move as one, by the least squares of

        sum w (n (y - x - omega x (x - p) - tau - sigma (x - p)))^2,

    with y the nearest vertex of the target that faces alike, n its normal, and weights of the area
    times exp(-d^2 / (2 r^2)). Directions in which the form does not hold the patch are left as
    they are, by a small ridge. No patch moves farther than its radius.
    """
    near, weights = _around(source, points, radius)
    used = weights > 0
    own, other = _vertices(source), _vertices(target)
    moved, normals = np.zeros((2, *used.shape, 3))
    moved[used], normals[used] = carry.with_normals(
        own.positions[near[used]], own.normals[near[used]]
    )
    moved += (starts - carry.at(points))[:, None]
    place = starts.copy()
    going = np.flatnonzero(used.sum(axis=1) >= FEWEST)
    for _ in range(STEPS):
        arms = moved[going] - place[going, None]
        facing, gaps, trust = _compared(
            other, moved[going], normals[going], used[going], weights[going]
        )
        turn, shift, growth = _step(arms, facing, gaps, trust, radius)
        rotation = np.swapaxes(rotations_by(turn), 1, 2)
        place[going] += shift
        moved[going] = place[going, None] + (1 + growth)[:, None, None] * arms @ rotation
        normals[going] = normals[going] @ rotation
        going = going[np.abs(shift).max(axis=1) >= STILL]
        if not going.size:
            break
    moves = place - starts
    lengths = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(starts + moves * np.minimum(1.0, radius / lengths))


def relief(specimen: Sampled, points: FloatArray, radius: float) -> FloatArray:
    """How much the form around points holds them in place, (m,), from 0 to 1/3.

    The smallest eigenvalue of the mean of n n^T over a patch: 0 on a plane or a cylinder, where a
    point can slide, 1/3 where normals show everywhere.
    """
    near, weights = _around(specimen, points, radius)
    normals = _vertices(specimen).normals[near]
    spread = np.einsum("mki,mk,mkj->mij", normals, weights, normals)
    return np.asarray(np.maximum(np.linalg.eigvalsh(spread)[:, 0], 0.0))


def _vertices(specimen: Sampled) -> _Vertices:
    if specimen not in _VERTICES:
        _, normals, areas = vertices_with_normals(specimen.surface)
        covered = areas > 0
        positions = specimen.in_unit(specimen.surface.points[covered])
        order = np.random.default_rng(0).permutation(len(positions))
        _VERTICES[specimen] = _Vertices(
            positions, normals[covered], areas[covered], order, cKDTree(positions)
        )
    return _VERTICES[specimen]


def _around(specimen: Sampled, points: FloatArray, radius: float) -> tuple[IndexArray, FloatArray]:
    """Numbers (m, k) and weights (m, k) of vertices around points; weights have the sum 1 or 0.

    Where there are many, some are drawn, always the same.
    """
    every = _vertices(specimen)
    near = np.zeros((len(points), POINTS), dtype=np.int64)
    weights = np.zeros((len(points), POINTS))
    for row, found in enumerate(every.tree.query_ball_point(points, REACH * radius)):
        some = np.asarray(found, dtype=np.int64)
        some = some[np.argsort(every.order[some])[:POINTS]]
        squares = ((every.positions[some] - points[row]) ** 2).sum(axis=1)
        near[row, : len(some)] = some
        weights[row, : len(some)] = every.areas[some] * np.exp(-squares / (2 * radius**2))
    total = weights.sum(axis=1, keepdims=True)
    return near, weights / np.where(total > 0, total, 1.0)


def _compared(
    target: _Vertices,
    moved: FloatArray,
    normals: FloatArray,
    used: BoolArray,
    weights: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Normals (m, k, 3) of the target, distances (m, k) along them, and how much each counts."""
    distances, near = target.tree.query(moved[used], np.arange(1, NEAREST + 1))
    cosines = np.einsum("ij,ikj->ik", normals[used], target.normals[near])
    best = (distances**2 - 2 * NORMAL**2 * cosines).argmin(axis=1)
    rows = np.arange(len(best))
    found = near[rows, best]
    facing, gaps, trust = np.zeros_like(moved), np.zeros(used.shape), np.zeros(used.shape)
    facing[used] = target.normals[found]
    gaps[used] = np.einsum("ij,ij->i", target.positions[found] - moved[used], facing[used])
    trust[used] = cosines[rows, best] > FACING
    usual = TOLERANCE * _medians(np.abs(gaps), used) + STILL / 10
    return facing, gaps, weights * trust / (1 + (gaps / usual[:, None]) ** 2)


def _medians(values: FloatArray, used: BoolArray) -> FloatArray:
    """Median of the used values of each row, (m,); 0 in a row without any."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    counts = used.sum(axis=1)
    return np.where(counts > 0, ordered[np.arange(len(values)), counts // 2 - (counts > 1)], 0.0)


def _step(
    arms: FloatArray, facing: FloatArray, gaps: FloatArray, trust: FloatArray, radius: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turns (m, 3), shifts (m, 3) and growths (m,) of patches by least squares."""
    across = np.einsum("mki,mki->mk", arms, facing)
    rows = np.concatenate([np.cross(arms, facing), facing, across[..., None]], axis=2)
    weighted = np.swapaxes(rows * trust[..., None], 1, 2)
    system, goal = weighted @ rows, weighted @ gaps[..., None]
    ridge = RIDGE * trust.sum(axis=1) / 3 + np.finfo(float).eps
    lengths = np.array([radius, radius, radius, 1.0, 1.0, 1.0, radius])
    system[:, range(7), range(7)] += ridge[:, None] * lengths**2
    found = np.linalg.solve(system, goal)[..., 0]
    angle = np.maximum(np.linalg.norm(found[:, :3], axis=1, keepdims=True), np.finfo(float).tiny)
    turns = found[:, :3] * np.minimum(1.0, LARGEST_TURN / angle)
    return turns, found[:, 3:6], np.clip(found[:, 6], -LARGEST_GROWTH, LARGEST_GROWTH)
