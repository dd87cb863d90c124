# SPDX-License-Identifier: MIT
"""Edges of a surface, and which of them form its open rim."""

import numpy as np
import scipy

from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops


def edges(surface: Surface) -> tuple[IndexArray, IndexArray]:
    """List every edge once.

    Returns
    -------
    ends : (e, 2) vertex numbers, the smaller first
    triangle_count : (e,) in how many triangles the edge occurs; 1 on the rim
    """
    start, end = surface.faces().ravel(), surface.faces()[:, [1, 2, 0]].ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    # One integer per side sorts ten times faster than rows of two.
    codes, counts = np.unique(low * surface.vertex_count + high, return_counts=True)
    ends = np.column_stack([codes // surface.vertex_count, codes % surface.vertex_count])
    return ends, counts.astype(np.int64)


def boundary_edges(surface: Surface) -> IndexArray:
    """Edges (e, 2) of the open rim: those of a single triangle."""
    ends, triangle_count = edges(surface)
    return np.asarray(ends[triangle_count == 1])


def edge_lengths(surface: Surface) -> FloatArray:
    """Length of every edge, shape (e,), in units of the file."""
    return _lengths(surface, edges(surface)[0])


def edge_graph(surface: Surface) -> "scipy.sparse.csr_array":
    """Lengths of the edges as a sparse matrix (n, n), each edge once: the graph of paths."""
    ends, _ = edges(surface)
    # Zeros would vanish from a sparse graph: vertices that coincide are a tiny step apart.
    steps = np.maximum(_lengths(surface, ends), np.finfo(float).tiny)
    size = (surface.vertex_count, surface.vertex_count)
    first, second = ends.T.astype(np.int32)  # SciPy 1.14 finds no paths with longer numbers
    return scipy.sparse.csr_array((steps, (first, second)), shape=size)


def _lengths(surface: Surface, ends: IndexArray) -> FloatArray:
    sides = surface.points[ends[:, 0]] - surface.points[ends[:, 1]]
    return np.asarray(np.linalg.norm(sides, axis=1))


def mean_edge_length(surface: Surface) -> float:
    """Mean length of the edges, each counted once, in units of the file."""
    return float(edge_lengths(surface).mean())


def boundary_vertices(surface: Surface) -> BoolArray:
    """Return which vertices lie on the open rim of the surface, shape (n,)."""
    rim = np.zeros(surface.vertex_count, dtype=np.int64)
    choose_loops().rim_vertices(surface.faces(), rim)
    return rim > 0
