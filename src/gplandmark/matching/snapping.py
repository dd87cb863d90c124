# SPDX-License-Identifier: MIT
"""The nearest points of a specimen's triangles, not of its vertices only."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry.areas import proper_triangles
from gplandmark.matching.points import Sampled

__all__ = ["snapped"]

# The tree of a surface is built once; it cannot be sent to another process, so it is kept here.
_TREES: WeakKeyDictionary[Sampled, tuple[Any, FloatArray, Any]] = WeakKeyDictionary()


def snapped(target: Sampled, points: FloatArray) -> FloatArray:
    """Nearest points (m, 3) of the surface, all in its coordinates of unit size."""
    import igl

    if target not in _TREES:
        vertices = np.ascontiguousarray(target.in_unit(target.surface.points))
        triangles = np.ascontiguousarray(proper_triangles(target.surface))
        tree = igl.AABB()
        tree.init(vertices, triangles)
        _TREES[target] = (tree, vertices, triangles)
    tree, vertices, triangles = _TREES[target]
    found = tree.squared_distance(vertices, triangles, np.ascontiguousarray(points))[2]
    return np.asarray(found, dtype=np.float64).reshape(-1, 3)
