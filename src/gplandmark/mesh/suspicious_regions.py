# SPDX-License-Identifier: MIT
"""Regions of a scan that may not be bone: rough ones, and flat cuts."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gplandmark.mesh.areas import voronoi_areas
from gplandmark.mesh.flat_cuts import flat_cuts
from gplandmark.mesh.roughness import rough_regions
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.vertex_graph import VertexGraph
from gplandmark.numerics.arrays import FloatArray, IndexArray

RegionKind: TypeAlias = Literal["flat cut", "rough"]
FEWEST = 100  # vertices: a smaller mesh is too coarse to be judged


@dataclass(frozen=True, eq=False)
class SuspiciousRegion:
    """A region of a scan that a person should look at.

    Attributes
    ----------
    kind : "flat cut", sawn or filled; or "rough": noise, matrix, plaster or cracks
    vertices : those of the surface that lie in it
    share : its fraction of the area of the surface
    centre : (3,) middle of its area, in the coordinates of the file
    nearest : the vertex of the region that is nearest to the centre
    """

    kind: RegionKind
    vertices: IndexArray
    share: float
    centre: FloatArray
    nearest: int


def suspicious_regions(surface: Surface) -> list[SuspiciousRegion]:
    """Regions that may not be bone, the largest first: see `rough_regions` and `flat_cuts`.

    They are judged by the rest of the same surface, in units of its own size. What is found
    deserves a look, no more; smooth matrix that follows the bone is not found. Of a bare cloud, or
    a mesh of fewer than 100 vertices, nothing is said.
    """
    if surface.triangles is None or surface.vertex_count < FEWEST:
        return []
    graph, areas = VertexGraph(surface), voronoi_areas(surface)
    found = [_region(surface, areas, "flat cut", each) for each in flat_cuts(graph, areas)]
    found += [_region(surface, areas, "rough", each) for each in rough_regions(graph, areas)]
    return sorted(found, key=lambda each: -each.share)


def _region(
    surface: Surface, areas: FloatArray, kind: RegionKind, vertices: IndexArray
) -> SuspiciousRegion:
    points, weights = surface.points[vertices], areas[vertices]
    middle = points.mean(axis=0)  # first: differences of large coordinates keep their digits
    centre = middle + weights @ (points - middle) / weights.sum()
    nearest = vertices[np.linalg.norm(points - centre, axis=1).argmin()]
    share = float(weights.sum() / areas.sum())
    return SuspiciousRegion(kind, vertices, share, centre, int(nearest))
