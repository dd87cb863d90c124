# SPDX-License-Identifier: MIT
"""Roughness of a surface, and the regions where it is out of line with the rest."""

import numpy as np

from gplandmark.mesh.areas import surface_area
from gplandmark.mesh.edges import boundary_vertices
from gplandmark.mesh.vertex_graph import VertexGraph
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.robust import log_deviations

WIDTH = 0.03  # of sqrt(area): over which roughness is averaged
COARSE = 0.018  # of sqrt(area): with longer edges, relief and roughness look alike
FEWEST_STEPS, MOST_STEPS = 2, 60
SMOOTH = 0.02  # of the edge length: all that is less rough is smooth
ROUGH, EDGE = 3.5, 2.5  # deviations: of a rough core, and up to which its region extends
LEAST_CORE = 0.003  # of the area
NEGLIGIBLE = 0.4  # standard deviation of the logarithm that any surface may have


def roughness(graph: VertexGraph) -> FloatArray:
    """How much a surface goes up and down from vertex to vertex, (n,), over the edge length.

    The height of a vertex above its neighbours, d_i = n_i . (mean_j x_j - x_i) / l_i, where l_i is
    the mean length of its edges, is curvature times l_i / 4 on a smooth surface, and nearly that of
    its neighbours. Their difference is what is rough,

        r_i = smoothed |d_i - mean_j d_j|,

    averaged over 0.03 sqrt(area). A sharp edge counts less than it would by squares. Vertices of an
    open rim, where no height is known, are left out.
    """
    offsets = graph.neighbours_mean(graph.points) - graph.points
    lengths = np.where(graph.lengths > 0, graph.lengths, 1.0)
    heights = np.einsum("ij,ij->i", offsets, graph.normals) / lengths
    rim = boundary_vertices(graph.surface)
    heights[rim] = 0.0
    known = (~rim).astype(np.float64)
    around = graph.neighbours_mean(heights) / np.maximum(graph.neighbours_mean(known), 1e-9)
    jumps = np.where(rim, 0.0, np.abs(heights - around))
    width = WIDTH * np.sqrt(surface_area(graph.surface)) / np.median(graph.lengths)
    steps = int(np.clip(np.ceil(width**2 / 2), FEWEST_STEPS, MOST_STEPS))
    shares = np.maximum(graph.smoothed(known, steps), 1e-9)
    return np.asarray(graph.smoothed(jumps, steps) / shares)


def rough_regions(graph: VertexGraph, areas: FloatArray) -> list[IndexArray]:
    """Vertices of each region whose roughness is out of line with the rest of the surface.

    The score of a vertex is z = (log r - median) / (1.4826 MAD), and MAD is the median of the
    distances from the median. A region is connected, has z > 2, and z > 3.5 on at least 0.3 % of
    the area of the surface. Everything below 2 % of the edge length counts as equally smooth. A
    scan that is equally rough everywhere has no such region, and of a coarse one, with edges above
    0.018 sqrt(area), nothing is said.
    """
    if np.median(graph.lengths) > COARSE * np.sqrt(areas.sum()):
        return []
    score = log_deviations(np.maximum(roughness(graph), SMOOTH), NEGLIGIBLE)
    enough = LEAST_CORE * areas.sum()
    parts = graph.parts(score > EDGE)
    return [part for part in parts if areas[part] @ (score[part] > ROUGH) > enough]
