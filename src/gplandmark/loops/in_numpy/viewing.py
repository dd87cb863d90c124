# SPDX-License-Identifier: MIT
"""What hides what: the twin of ``_viewing_loops.h``."""

from collections.abc import Iterator

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["block"]

SIDE = 1e-12  # of a triangle: its sides block too, so that no ray slips through between two
PAIRS = 2**18  # rays and triangles compared at a time: what fits into the cache


def block(
    points: FloatArray,
    triangles: IndexArray,
    rays: FloatArray,
    vertices: IndexArray,
    starts: IndexArray,
    out: IndexArray,
    columns: int,
    margin: float,
) -> None:
    """Write 1 for every ray that a triangle blocks.

    Rays start at points (u, v, depth) and go towards larger depth; u and v are in cells of side
    1. They are sorted by cell: ``starts[i * columns + j]`` is the first with floor(u) = i and
    floor(v) = j. A triangle blocks the rays that it covers, that start more than `margin` behind
    it, and that do not start at one of its corners, the vertices.
    """
    nearest = points[:, 2][triangles].max(axis=1) - margin
    for triangle, ray in _near(points, triangles, starts, columns):
        behind = (rays[ray, 2] < nearest[triangle]) & (out[ray] == 0)
        corners, ray = triangles[triangle[behind]], ray[behind]
        front = _front(points[corners], rays[ray])
        foreign = (corners != vertices[ray, None]).all(axis=1)
        out[ray[foreign & (front > rays[ray, 2] + margin)]] = 1


def _front(corners: FloatArray, rays: FloatArray) -> FloatArray:
    """Depth (k,) at which triangles (k, 3, 3) cover rays (k, 3); -inf where they do not."""
    flat = corners[:, :, :2] - rays[:, None, :2]
    x, y = flat[:, :, 0].T, flat[:, :, 1].T
    # Twice the areas of the parts that the ray cuts a triangle into: the shares of its corners.
    shares = np.roll(x, -1, axis=0) * np.roll(y, 1, axis=0)
    shares -= np.roll(y, -1, axis=0) * np.roll(x, 1, axis=0)
    whole = shares.sum(axis=0)
    covers = (shares * np.sign(whole)).min(axis=0) >= -SIDE * np.abs(whole)
    covers &= whole != 0
    front = np.einsum("ck,kc->k", shares, corners[:, :, 2]) / np.where(covers, whole, 1.0)
    return np.where(covers, front, -np.inf)


def _near(
    points: FloatArray, triangles: IndexArray, starts: IndexArray, columns: int
) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Yield triangles, and rays in the cells that they touch, as pairs (k,)."""
    rows = (len(starts) - 1) // columns
    cell = np.clip(np.floor(points[:, :2]), -1, [rows, columns]).astype(np.int64)
    i, j = cell[:, 0][triangles], cell[:, 1][triangles]
    top, bottom = np.maximum(i.min(axis=1), 0), np.minimum(i.max(axis=1), rows - 1)
    left, right = np.maximum(j.min(axis=1), 0), np.minimum(j.max(axis=1), columns - 1)
    height = np.where(left <= right, np.maximum(bottom - top + 1, 0), 0)
    triangle, row = _runs(top, height)
    # Cells of a row follow each other: a triangle meets one run of rays in every row.
    first = starts[row * columns + left[triangle]]
    length = starts[row * columns + right[triangle] + 1] - first
    part = np.cumsum(length) // PAIRS
    for number in np.unique(part):
        some = slice(*np.searchsorted(part, [number, number + 1]))
        run, ray = _runs(first[some], length[some])
        yield triangle[some][run], ray


def _runs(first: IndexArray, length: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Write out runs of whole numbers: the number of the run, and the number within it."""
    run = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    return run, np.arange(len(run)) + (first - before)[run]
