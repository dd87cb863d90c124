# SPDX-License-Identifier: MIT
"""A frame that belongs to the specimen and not to its pose: centre and principal axes."""

import numpy as np

from gplandmark.mesh.areas import vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["principal_frame"]


def principal_frame(surface: Surface) -> tuple[FloatArray, FloatArray]:
    """Centre of the area (d,) and its principal axes, the rows of (d, d), the longest first.

    The eigenvectors of sum nu(x) (x - c)(x - c)^T. Each is known up to its sign only; where two
    spreads are equal, so is any axis between them.
    """
    areas = vertex_areas(surface)
    # The mean first: differences of large coordinates would lose digits in the products.
    centred = surface.points - surface.points.mean(axis=0)
    offset = areas @ centred / areas.sum()
    centred = centred - offset
    _, axes = np.linalg.eigh(centred.T @ (areas[:, None] * centred))
    return surface.points.mean(axis=0) + offset, np.ascontiguousarray(axes.T[::-1])
