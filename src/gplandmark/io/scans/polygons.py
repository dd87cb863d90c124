# SPDX-License-Identifier: MIT
"""Faces with any number of corners become triangles."""

import numpy as np

from gplandmark.io.scans.content import DamagedError
from gplandmark.io.scans.rules import number_of
from gplandmark.numerics.arrays import FloatArray, IndexArray, number_outside

THIN = 1e-9  # a fraction of the area below which a triangle is a line
MOST_FOLDED = 10_000_000  # corners that are tried again: a bound on the work, not on the file
MOST_HUBS = 64  # corners of one polygon around which a fan is tried, evenly spaced


def triangulated(
    points: FloatArray, sizes: IndexArray, corners: IndexArray
) -> tuple[IndexArray, tuple[str, ...]]:
    """Triangles (m, 3) of polygons, and what there is to say about them.

    `sizes` (p,) are their numbers of corners and `corners` (sum,) the vertices in order. A polygon
    becomes a fan around its first corner, or if that folds over or has triangles without area
    around the corner where this is least so. Of a polygon with more than 64 corners, 64 are tried.
    """
    if (sizes < 0).any() or sizes.sum() != len(corners):
        raise DamagedError("it is damaged or cut short: its faces have other corners than declared")
    _check_numbers(corners, len(points))
    if (sizes == 3).all():
        return corners.reshape(-1, 3), ()
    starts = np.cumsum(sizes) - sizes
    parts = [corners[starts[sizes == 3, None] + np.arange(3)]]
    order = [np.flatnonzero(sizes == 3)]
    by_size = np.argsort(sizes, kind="stable")
    large = by_size[np.searchsorted(sizes[by_size], 4) :]
    changes = np.flatnonzero(np.diff(sizes[large])) + 1
    for chosen in np.split(large, changes) if len(large) else ():
        size = int(sizes[chosen[0]])
        fans = _fans(points, corners[starts[chosen, None] + np.arange(size)])
        parts.append(fans.reshape(-1, 3))
        order.append(np.repeat(chosen, size - 2))
    thin = int(np.count_nonzero(sizes < 3))
    note = f"{number_of(thin, 'faces')} with fewer than three corners left out"
    triangles = np.concatenate(parts)
    if len(parts) > 1:
        triangles = triangles[np.argsort(np.concatenate(order), kind="stable")]
    return triangles.astype(np.int64), (note,) if thin else ()


def _fans(points: FloatArray, polygons: IndexArray) -> IndexArray:
    """Fans of polygons (p, k) with equally many corners, shape (p, k - 2, 3)."""
    result = _fan(polygons, 0)
    best = _flattest(points, result)
    corners = polygons.shape[1]
    for first in np.unique(np.linspace(0, corners - 1, min(corners, MOST_HUBS)).astype(int))[1:]:
        undecided = np.flatnonzero(~(best > THIN))
        if not 0 < undecided.size * corners <= MOST_FOLDED:
            break
        fan = _fan(polygons[undecided], first)
        height = _flattest(points, fan)
        better = height > best[undecided]
        result[undecided[better]], best[undecided[better]] = fan[better], height[better]
    return result


def _fan(polygons: IndexArray, first: int) -> IndexArray:
    turned = np.roll(polygons, -first, axis=1)
    hub = np.broadcast_to(turned[:, :1], turned[:, 2:].shape)
    return np.stack([hub, turned[:, 1:-1], turned[:, 2:]], axis=2)


def _flattest(points: FloatArray, fan: IndexArray) -> FloatArray:
    """Fraction of the smallest triangle in fans (p, k - 2, 3), shape (p,); negative if it folds."""
    with np.errstate(all="ignore"):
        corners = points[fan]
        normals = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
        total = normals.sum(axis=1)
        fractions = np.einsum("pti,pi->pt", normals, total) / np.square(total).sum(axis=1)[:, None]
    return np.asarray(np.nan_to_num(fractions, nan=0.0).min(axis=1))


def _check_numbers(corners: IndexArray, vertex_count: int) -> None:
    if (bad := number_outside(corners, vertex_count)) is not None:
        raise DamagedError(
            f"it is damaged or cut short: a face names vertex {bad}, but the vertices are numbered "
            f"0 to {vertex_count - 1}"
        )


def strip_triangles(strip: IndexArray, vertex_count: int) -> IndexArray:
    """Triangles of strips; -1 ends a strip, and every second triangle is turned."""
    _check_numbers(strip[strip != -1], vertex_count)
    first, second, third = strip[:-2], strip[1:-1], strip[2:]
    breaks = np.flatnonzero(strip < 0)
    begin = np.zeros(len(strip), dtype=np.int64)
    begin[breaks[breaks + 1 < len(strip)] + 1] = breaks[breaks + 1 < len(strip)] + 1
    odd = (np.arange(len(strip)) - np.maximum.accumulate(begin))[: len(first)] % 2 == 1
    triangles = np.column_stack([np.where(odd, second, first), np.where(odd, first, second), third])
    return triangles[(triangles >= 0).all(axis=1)]


def faces_alike(flat: FloatArray, count: int) -> tuple[IndexArray, IndexArray] | None:
    """Sizes and corners of `count` faces that are all written as one size and then the corners."""
    width = 1 + int(flat[0]) if len(flat) and 0 <= flat[0] < len(flat) else 0
    rows = flat.reshape(-1, width) if width and len(flat) == count * width else flat[:0, None]
    if len(rows) != count or not (rows[:, 0] == width - 1).all():
        return None
    return np.full(count, width - 1), rows[:, 1:].astype(np.int64).ravel()


def faces_in_turn(flat: FloatArray, count: int) -> tuple[IndexArray, IndexArray]:
    """Sizes and corners of `count` faces, each written as its size and then its corners."""
    if alike := faces_alike(flat, count):
        return alike
    is_corner = np.ones(len(flat), dtype=bool)
    sizes, place, values = np.zeros(count, dtype=np.int64), 0, flat.tolist()
    for face in range(count):
        if not (place < len(values) and 0 <= values[place] < len(values) - place):
            raise DamagedError(
                f"it is damaged or cut short: {face:,} of {count:,} faces could be read"
            )
        is_corner[place] = False
        sizes[face] = values[place]
        place += 1 + int(sizes[face])
    is_corner[place:] = False
    return sizes, flat[is_corner].astype(np.int64)
