# SPDX-License-Identifier: MIT
"""Refinement of a map: a small patch of surface around each point is registered independently."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import scipy

from gplandmark.morphometrics.matching.deformation import Composition
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.registration import FACING, normal_equations, robust_weights
from gplandmark.morphometrics.matching.sampling import vertices_with_normals
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.rotations import rotation_matrices

REACH = 2.2  # radii: extent of a patch
POINTS, FEWEST = 128, 12  # of a patch at most; a patch with fewer does not move
FEW = 16  # one of so many vertices is enough for most large patches
STEPS, STILL = 12, 5e-4  # maximal number of iterations; shift at which a patch stops
NEAREST, NORMAL = 4, 0.05  # candidate vertices; length of a unit normal in feature space
RIDGE = 1e-3  # relative to the mean eigenvalue: undetermined directions stay as they are
LARGEST_TURN, LARGEST_GROWTH = 0.3, 0.2  # of one iteration


@dataclass(frozen=True, eq=False)
class _Vertices:
    """Vertices of a specimen in normalised coordinates, outward normals, areas and a tree.

    `order` is a fixed random rank of each. `few` is a tree of the `first` by rank.
    """

    positions: FloatArray
    normals: FloatArray
    areas: FloatArray
    order: IndexArray
    tree: "scipy.spatial.cKDTree"
    first: IndexArray
    few: "scipy.spatial.cKDTree"


# Computed once for a specimen, and not pickled.
_VERTICES: WeakKeyDictionary[SampledSurface, _Vertices] = WeakKeyDictionary()


def register_patches(
    source: SampledSurface,
    target: SampledSurface,
    carry: Composition,
    points: FloatArray,
    starts: FloatArray,
    radius: float,
) -> FloatArray:
    """Register patches around points (m, 3) of the source, and return the points on the target.

    The vertices x around a point p are carried by the map, and shifted so that p comes to its start
    (m, 3). The patch is then rotated, translated and scaled by point-to-plane ICP, minimising

        sum w (n (y - x - omega x (x - p) - tau - sigma (x - p)))^2,

    with y the nearest vertex of the target that faces the same way, n its normal, and weights w of
    the area times exp(-|x - p|^2 / (2 r^2)), times `robust_weights`. A small ridge keeps directions
    that the surface does not determine. No patch moves farther than its radius r.
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
        rotation = np.swapaxes(rotation_matrices(turn), 1, 2)
        place[going] += shift
        moved[going] = place[going, None] + (1 + growth)[:, None, None] * arms @ rotation
        normals[going] = normals[going] @ rotation
        going = going[np.abs(shift).max(axis=1) >= STILL]
        if not going.size:
            break
    moves = place - starts
    lengths = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(starts + moves * np.minimum(1.0, radius / lengths))


def relief(specimen: SampledSurface, points: FloatArray, radius: float) -> FloatArray:
    """Relief around points, (m,): how much the surface determines their position, 0 to 1/3.

    The smallest eigenvalue of the mean of n n^T over a patch. It is 0 on a plane or a cylinder,
    where a point can slide, and 1/3 where normals point in all directions alike.
    """
    near, weights = _around(specimen, points, radius)
    normals = _vertices(specimen).normals[near]
    spread = np.einsum("mki,mk,mkj->mij", normals, weights, normals)
    return np.asarray(np.maximum(np.linalg.eigvalsh(spread)[:, 0], 0.0))


def _vertices(specimen: SampledSurface) -> _Vertices:
    if specimen not in _VERTICES:
        _, normals, areas = vertices_with_normals(specimen.surface)
        covered = areas > 0
        positions = specimen.in_unit(specimen.surface.points[covered])
        order = np.random.default_rng(0).permutation(len(positions))
        first = np.argsort(order)[: len(order) // FEW]
        tree, few = map(scipy.spatial.cKDTree, (positions, positions[first]))
        _VERTICES[specimen] = _Vertices(
            positions, normals[covered], areas[covered], order, tree, first, few
        )
    return _VERTICES[specimen]


def _around(
    specimen: SampledSurface, points: FloatArray, radius: float
) -> tuple[IndexArray, FloatArray]:
    """Indices (m, k) and weights (m, k) of vertices around points; weights sum to 1 or 0.

    Of many vertices the first ones by rank are used, a fixed random subset.
    """
    every = _vertices(specimen)
    near = np.zeros((len(points), POINTS), dtype=np.int64)
    weights = np.zeros((len(points), POINTS))
    for row, point in enumerate(points):
        inside = np.sort(every.few.query_ball_point(point, REACH * radius)).astype(np.int64)
        some = every.first[inside[:POINTS]]
        if len(some) < POINTS:
            some = np.asarray(every.tree.query_ball_point(point, REACH * radius), dtype=np.int64)
            some = some[np.argsort(every.order[some])[:POINTS]]
        squares = ((every.positions[some] - points[row]) ** 2).sum(axis=1)
        near[row, : len(some)] = some
        weights[row, : len(some)] = every.areas[some] * np.exp(-squares / (2 * radius**2))
    total = weights.sum(axis=1, keepdims=True)
    return near, weights / np.where(total > 0, total, 1.0)


def _compared(
    target: _Vertices, moved: FloatArray, normals: FloatArray, used: BoolArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Normals (m, k, 3) of the target, distances (m, k) along them, and weights (m, k)."""
    distances, near = target.tree.query(moved[used], np.arange(1, NEAREST + 1))
    cosines = np.einsum("ij,ikj->ik", normals[used], target.normals[near])
    best = (distances**2 - 2 * NORMAL**2 * cosines).argmin(axis=1)
    rows = np.arange(len(best))
    found = near[rows, best]
    facing, gaps, trust = np.zeros_like(moved), np.zeros(used.shape), np.zeros(used.shape)
    facing[used] = target.normals[found]
    gaps[used] = np.einsum("ij,ij->i", target.positions[found] - moved[used], facing[used])
    trust[used] = cosines[rows, best] > FACING
    medians = _medians(np.abs(gaps), used)[:, None]
    return facing, gaps, robust_weights(weights * trust, gaps, medians)


def _medians(values: FloatArray, used: BoolArray) -> FloatArray:
    """Median of the used values of each row, (m,); 0 in a row without any."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    counts = used.sum(axis=1)
    return np.where(counts > 0, ordered[np.arange(len(values)), counts // 2 - (counts > 1)], 0.0)


def _step(
    arms: FloatArray, facing: FloatArray, gaps: FloatArray, trust: FloatArray, radius: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rotation vectors (m, 3), shifts (m, 3) and growths (m,) of patches by least squares."""
    system, goal = normal_equations(arms, facing, gaps, trust)
    ridge = RIDGE * trust.sum(axis=1) / 3 + np.finfo(float).eps
    lengths = np.array([radius, radius, radius, 1.0, 1.0, 1.0, radius])
    system[:, range(7), range(7)] += ridge[:, None] * lengths**2
    found = np.asarray(np.linalg.solve(system, goal[..., None])[..., 0], dtype=np.float64)
    angle = np.maximum(np.linalg.norm(found[:, :3], axis=1, keepdims=True), np.finfo(float).tiny)
    turns = found[:, :3] * np.minimum(1.0, LARGEST_TURN / angle)
    return turns, found[:, 3:6], np.clip(found[:, 6], -LARGEST_GROWTH, LARGEST_GROWTH)
