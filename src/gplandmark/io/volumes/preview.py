# SPDX-License-Identifier: MIT
"""What a picture of the threshold shows: the histogram, and three slices with the outline."""

from dataclasses import dataclass

import numpy as np

from gplandmark.io.volumes.isosurface import Block, smoothed
from gplandmark.io.volumes.threshold import Cut, Histogram
from gplandmark.io.volumes.voxel_grid import Grid
from gplandmark.io.volumes.voxels import Voxels
from gplandmark.numerics.arrays import FloatArray, IndexArray

MOST_BINS = 256
MOST_PIXELS = 500  # along a side of a slice


@dataclass(frozen=True, eq=False)
class Slice:
    """A slice through a volume.

    Attributes
    ----------
    values : (h, w) as they are cut, smoothed if so asked; every few voxels of a large volume
    extent : (w, h) of the slice in units of the file
    axes : names of the axes of the file, across and down
    place : the third axis, and the voxel on it
    position : of the middle of that voxel on the third axis, in units of the file, from the corner
        of the volume, as the axes of the slice are measured
    """

    values: FloatArray
    extent: tuple[float, float]
    axes: tuple[str, str]
    place: tuple[str, int]
    position: float


@dataclass(frozen=True, eq=False)
class Preview:
    """The cut through a volume, to be drawn.

    Attributes
    ----------
    cut : the threshold and how it was chosen
    counts, edges : the histogram in (n,) bins; of a label map without the outside
    slices : through the middle of the surface, across each axis of the file
    """

    cut: Cut
    counts: IndexArray
    edges: FloatArray
    slices: tuple[Slice, ...]


def preview_of(
    values: Voxels,
    grid: Grid,
    found: Histogram,
    cut: Cut,
    sigma: FloatArray | None,
    points: FloatArray,
) -> Preview:
    """Collect what the picture shows; slices go through the median of the vertices."""
    middle = [
        int(np.clip(round(float(each)), 0, size - 1))
        for each, size in zip(np.median(points, axis=0), grid.size, strict=True)
    ]
    slices = tuple(_slice(values, grid, sigma, axis, middle[axis]) for axis in (2, 1, 0))
    return Preview(cut, *_rebinned(found), slices)


def _slice(values: Voxels, grid: Grid, sigma: FloatArray | None, axis: int, place: int) -> Slice:
    across, down = (each for each in range(3) if each != axis)
    where: list[slice] = [slice(0, size) for size in grid.size]
    where[axis] = slice(place, place + 1)
    block: Block = (where[2], where[1], where[0])
    level = np.squeeze(smoothed(values, block, sigma), axis=2 - axis)
    step = max(1, -(-max(level.shape) // MOST_PIXELS))
    extent = (
        grid.spacing[across] * grid.size[across],
        grid.spacing[down] * grid.size[down],
    )
    names = "xyz"
    return Slice(
        level[::step, ::step].astype(np.float32).astype(np.float64),
        extent,
        (names[across], names[down]),
        (names[axis], place),
        float(grid.spacing[axis] * (place + 0.5)),
    )


def _rebinned(found: Histogram) -> tuple[IndexArray, FloatArray]:
    """At most `MOST_BINS` bins, which hold the same number of the original ones."""
    together = -(-len(found.counts) // MOST_BINS)
    starts = np.arange(0, len(found.counts), together)
    return np.add.reduceat(found.counts, starts), np.append(found.edges[starts], found.edges[-1])
