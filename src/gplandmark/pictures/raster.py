# SPDX-License-Identifier: MIT
"""Which triangle shows in which pixel: a depth buffer, with no graphics library."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.loops import loops_called

__all__ = ["NOTHING", "Raster", "rasterise"]

NOTHING = -1


@dataclass(frozen=True, eq=False)
class Raster:
    """What shows at the centre of every pixel; row 0 is the top of the picture.

    Attributes
    ----------
    triangle : (height, width) number of the triangle, or `NOTHING`
    weights : (height, width, 2) barycentric weights of its second and third corner
    depth : (height, width) how near it is to the viewer; -inf where there is nothing
    """

    triangle: IndexArray
    weights: FloatArray
    depth: FloatArray


def rasterise(points: FloatArray, triangles: IndexArray, width: int, height: int) -> Raster:
    """Find the nearest triangle at the centre of every pixel.

    Parameters
    ----------
    points : (n, 3) column and row in pixels, pixel (i, j) having its centre at (j + 1/2,
        i + 1/2), and how near to the viewer
    triangles : (m, 3) their corners
    """
    triangle = np.full((height, width), NOTHING, dtype=np.int64)
    weights = np.zeros((height, width, 2))
    depth = np.full((height, width), -np.inf)
    loops_called().cover(points, triangles, triangle, weights, depth)
    return Raster(triangle, weights, depth)
