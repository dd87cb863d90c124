# SPDX-License-Identifier: MIT
"""Visibility and pixels: the twins of ``_viewing_loops.h``."""

from collections.abc import Iterator

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray

SIDE = 1e-12  # the sides of a triangle block too: no ray passes between two triangles
PAIRS = 2**18  # rays and triangles compared at a time: what fits into the cache


def block_rays(
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
    """Depth (k,) at which triangles (k, 3, 3) cover rays (k, 3); -inf if they do not."""
    flat = corners[:, :, :2] - rays[:, None, :2]
    x, y = flat[:, :, 0].T, flat[:, :, 1].T
    # Twice the signed areas opposite the corners: barycentric coordinates times twice the area.
    weights = np.roll(x, -1, axis=0) * np.roll(y, 1, axis=0)
    weights -= np.roll(y, -1, axis=0) * np.roll(x, 1, axis=0)
    total = weights.sum(axis=0)
    covers = (weights * np.sign(total)).min(axis=0) >= -SIDE * np.abs(total)
    covers &= total != 0
    front = np.einsum("ck,kc->k", weights, corners[:, :, 2]) / np.where(covers, total, 1.0)
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
    """List runs of consecutive integers: the number of the run, and the integers."""
    run = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    return run, np.arange(len(run)) + (first - before)[run]


SAMPLES_AT_ONCE = 4_000_000
EDGE = -1e-9  # a centre on the edge of two triangles belongs to both despite rounding


def rasterize(
    points: FloatArray,
    triangles: IndexArray,
    triangle: IndexArray,
    weights: FloatArray,
    depth: FloatArray,
) -> None:
    """Write the nearest triangle at the centre of every pixel, and where in it that is.

    Points (n, 3) are column and row in pixels, and how near to the viewer. Where a triangle is
    nearer than `depth` (h, w), `depth`, `triangle` (h, w) and the `weights` (h, w, 2) of its
    second and third corner are replaced.
    """
    height, width = depth.shape
    # Views: results are written into the caller's arrays.
    nearest, numbered, flat = depth.reshape(-1), triangle.reshape(-1), weights.reshape(-1, 2)
    for numbers, pixels, second, third in _fragments(points, triangles, width, height):
        first_depth, second_depth, third_depth = points[triangles[numbers], 2].T
        near = first_depth + second * (second_depth - first_depth)
        near += third * (third_depth - first_depth)
        np.maximum.at(nearest, pixels, near)
        shown = near == nearest[pixels]
        numbered[pixels[shown]] = numbers[shown]
        flat[pixels[shown]] = np.column_stack([second, third])[shown]


def interpolate_corners(
    values: FloatArray,
    triangles: IndexArray,
    triangle: IndexArray,
    weights: FloatArray,
    out: FloatArray,
) -> None:
    """Write values (n, c) of vertices, interpolated at k points of triangles, to out (k, c)."""
    first, second, third = triangles[triangle].T
    out[:] = values[first]
    out += weights[:, :1] * (values[second] - values[first])
    out += weights[:, 1:] * (values[third] - values[first])


Fragments = tuple[IndexArray, IndexArray, FloatArray, FloatArray]


def _fragments(
    points: FloatArray, triangles: IndexArray, width: int, height: int
) -> Iterator[Fragments]:
    """Yield triangles, the pixels whose centres they cover, and the weights of two corners.

    Triangles are taken in batches whose boxes are of about the same size, so that all samples of
    a batch are one array. Most triangles of a dense scan cover no centre and are never seen.
    """
    flat = points[:, :2]
    one, two, three = (flat[corner] for corner in triangles.T)
    low, high = (over(over(one, two), three) for over in (np.minimum, np.maximum))
    limit = np.array([width, height])
    first = np.clip(np.ceil(low - 0.5), 0, limit).astype(np.int64)
    last = np.clip(np.floor(high - 0.5), -1, limit - 1).astype(np.int64)
    extent = last - first + 1
    is_seen = (extent[:, 0] > 0) & (extent[:, 1] > 0)
    side = np.where(is_seen, np.maximum(extent[:, 0], extent[:, 1]), 0)
    for lower, upper in _size_classes(int(side.max(initial=0))):
        members = np.flatnonzero((side > lower) & (side <= upper))
        step = max(1, SAMPLES_AT_ONCE // upper**2)
        for start in range(0, len(members), step):
            batch = members[start : start + step]
            corners = flat[triangles[batch]]
            yield _covered(batch, corners, first[batch], last[batch], upper, width)


def _size_classes(largest: int) -> Iterator[tuple[int, int]]:
    """Yield sizes of boxes, each class at most half as large again as the previous one."""
    lower = 0
    while lower < largest:
        upper = max(lower + 1, lower * 3 // 2)
        yield lower, upper
        lower = upper


def _covered(
    numbers: IndexArray,
    corners: FloatArray,
    first: IndexArray,
    last: IndexArray,
    side: int,
    width: int,
) -> Fragments:
    """Test every pixel centre of the boxes of some triangles, by barycentric weights."""
    steps = np.arange(side)
    columns = first[:, 0, None, None] + steps[None, None, :]
    rows = first[:, 1, None, None] + steps[None, :, None]
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    doubled = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    scale = np.divide(1.0, doubled, out=np.full(len(doubled), np.nan), where=doubled != 0)
    one, two = one * scale[:, None], two * scale[:, None]
    across = columns + 0.5 - corners[:, 0, 0, None, None]
    down = rows + 0.5 - corners[:, 0, 1, None, None]
    second = across * two[:, 1, None, None] - down * two[:, 0, None, None]
    third = down * one[:, 0, None, None] - across * one[:, 1, None, None]
    inside = (second >= EDGE) & (third >= EDGE) & (second + third <= 1 - EDGE)
    inside &= (columns <= last[:, 0, None, None]) & (rows <= last[:, 1, None, None])
    which, row, column = np.nonzero(inside)
    pixels = (first[which, 1] + row) * width + first[which, 0] + column
    return numbers[which], pixels, second[inside], third[inside]
