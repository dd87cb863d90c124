# SPDX-License-Identifier: MIT
"""Triangles between the voxels inside and outside of a threshold, made block by block.

scikit-image's marching cubes (Lewiner) decide how the vertices are connected. Where they lie is
computed here, in double precision: each is on an edge of the grid, and two blocks that share the
edge know it by the same number. So the surface does not depend on the blocks, and blocks through
which it does not pass are left out at once.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import scipy

from gplandmark.io.volumes.libraries import load
from gplandmark.io.volumes.voxels import Voxels
from gplandmark.numerics.arrays import FloatArray, IndexArray

BLOCK = 32  # voxels along the side of a block
REACH = 4.0  # standard deviations to which the Gaussian is computed
NEAREST = 1e-4  # of the distance of voxels: no vertex is closer to one, so that no face is empty
ON_GRID = 1e-3  # coordinates closer to a whole number are one

Block = tuple[slice, slice, slice]
Patch = tuple[IndexArray, FloatArray, IndexArray]  # numbers and places of vertices, triangles


def isosurface(
    values: Voxels, level: float, sigma: FloatArray | None = None, block: int = BLOCK
) -> tuple[FloatArray, IndexArray]:
    """Return vertices (n, 3), as voxel indices with x first, and triangles (m, 3).

    Triangles face away from the voxels with at least the value `level`, in right-handed axes.
    At the border of the volume the surface is open.

    Parameters
    ----------
    values : (z, y, x)
    sigma : (3,) standard deviations of a Gaussian that smooths the values first, in voxels
    block : voxels along the side of a block, which does not change the surface
    """
    patches = list(_patches(values, level, sigma, block))
    if not patches:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    keys = np.concatenate([each[0] for each in patches])
    _, first, vertex = np.unique(keys, return_index=True, return_inverse=True)
    points = np.concatenate([each[1] for each in patches])[first]
    starts = np.cumsum([0, *(len(each[0]) for each in patches[:-1])])
    triangles = np.concatenate(
        [each[2] + start for each, start in zip(patches, starts, strict=True)]
    )
    return np.ascontiguousarray(points[:, ::-1]), vertex[triangles]


def smoothed(values: Voxels, where: Block, sigma: FloatArray | None) -> FloatArray:
    """Values of a block after smoothing, as those of the whole volume would be."""
    if sigma is None:
        return values[where].astype(np.float64)
    around = _around(where, sigma)
    part = scipy.ndimage.gaussian_filter(
        values[around].astype(np.float64), sigma[::-1], mode="nearest", truncate=REACH
    )
    z, y, x = (
        slice(each.start - wide.start, each.stop - wide.start)
        for each, wide in zip(where, around, strict=True)
    )
    return np.asarray(part[z, y, x])


def _patches(values: Voxels, level: float, sigma: FloatArray | None, block: int) -> Iterator[Patch]:
    scale = float(max(abs(float(values.max()) - level), abs(float(values.min()) - level)))
    block = max(block, 4 * max(_margins(sigma)))  # else blocks are mostly margin
    for start in product(*(range(0, size - 1, block) for size in values.shape)):
        z, y, x = (
            slice(first, min(first + block + 1, size))
            for first, size in zip(start, values.shape, strict=True)
        )
        where = z, y, x
        around = _around(where, sigma)
        if values[around].min() >= level or values[around].max() < level:
            continue
        part = smoothed(values, where, sigma)
        is_inside = part >= level
        if is_inside.all() or not is_inside.any():
            continue
        yield _patch(part, level, scale, np.array(start), values.shape)


def _around(where: Block, sigma: FloatArray | None) -> Block:
    """The voxels that decide a block."""
    z, y, x = (
        slice(max(each.start - margin, 0), each.stop + margin)
        for each, margin in zip(where, _margins(sigma), strict=True)
    )
    return z, y, x


def _margins(sigma: FloatArray | None) -> list[int]:
    """How far smoothing reaches along z, y and x, in voxels."""
    return [0, 0, 0] if sigma is None else [int(REACH * each + 0.5) for each in sigma[::-1]]


def _patch(
    part: FloatArray, level: float, scale: float, start: IndexArray, shape: tuple[int, ...]
) -> Patch:
    """The surface in one block.

    Marching cubes get values whose distances from the level are squeezed between 0.5 and 1. So a
    vertex is never near a voxel, and the edge that it is on is certain.
    """
    away = part - level
    squeezed = np.where(away >= 0, 1, -1) * (0.5 + 0.5 * np.abs(away) / scale)
    found = load("skimage.measure").marching_cubes(
        squeezed.astype(np.float32), 0.0, gradient_direction="descent"
    )
    places, triangles = found[0].astype(np.float64), found[1].astype(np.int64)
    between = np.abs(places - np.rint(places)) > ON_GRID
    low = np.where(between, np.floor(places), np.rint(places)).astype(np.int64)
    on_edge = between.sum(axis=1) == 1
    axis = between.argmax(axis=1)
    low_edge, axis_edge = low[on_edge], axis[on_edge]
    step = np.eye(3, dtype=np.int64)[axis_edge]
    before, after = part[tuple(low_edge.T)], part[tuple((low_edge + step).T)]
    fraction = np.clip((level - before) / (after - before), NEAREST, 1 - NEAREST)
    places[on_edge] = low_edge + step * fraction[:, None]
    _centre(places, triangles, np.flatnonzero(~on_edge))
    number = np.ravel_multi_index(tuple((low + start).T), shape)
    total = int(np.prod(shape))
    keys = np.where(on_edge, 3 * number + axis, 3 * total + number)
    return keys, places + start, triangles


def _centre(places: FloatArray, triangles: IndexArray, inner: IndexArray) -> None:
    """Put vertices inside a voxel cube, which are on no edge, amid those around them."""
    for vertex in inner:  # few: only ambiguous cubes have one
        around = np.unique(triangles[(triangles == vertex).any(axis=1)])
        places[vertex] = places[around[around != vertex]].mean(axis=0)
