# SPDX-License-Identifier: MIT
"""Flat cuts: planar regions with a sharp edge, where a specimen was sawn or a hole was filled."""

from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.edges import boundary_vertices
from gplandmark.mesh.vertex_graph import VertexGraph
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

SEEDS = 400  # places where a plane is tried
REACH = 0.04  # of sqrt(area): radius of the first patch of a plane
FEWEST = 8  # vertices of a patch
UNEVEN = 0.02  # of its radius: spread of a patch that may still be part of a cut
MOST = 60  # patches that are extended
TOLERANCE = 0.002  # of sqrt(area): distance from the plane that always belongs to it
ALIGNED = 0.9  # cosine between the normals of the plane and of its vertices
ROUNDS = 3

LEAST = 0.01  # of the area of the surface
FLAT = 0.003  # of the square root of its own area: spread of a cut around its plane
BEYOND = 0.03  # of sqrt(area): how far outside its edge the surface must have turned away,
TURN = 25  # degrees,
SHARP = 0.7  # along this fraction of the edge


@dataclass(frozen=True, eq=False)
class FittedPlane:
    """A plane through a vertex or near it: centre (3,), unit normal (3,), and spread around it."""

    vertex: int
    centre: FloatArray
    normal: FloatArray
    spread: float


def flat_cuts(graph: VertexGraph, areas: FloatArray) -> list[IndexArray]:
    """Vertices of each flat cut: planar, bounded by a sharp edge, and too large for bone.

    Planes are fitted to small patches all over the surface. The flattest are extended to the
    connected vertices near the plane whose normals are its normal, and fitted again. With the area
    a of such a region, of the whole surface A, and the root mean square s of the distances from the
    plane, it is a cut if

        a > 0.01 A,    s < 0.003 sqrt(a),

    and if on 70 % of its edge the surface is open, or its normals 0.03 sqrt(A) further out are
    turned by 25 degrees. On a sphere of radius r, s = 0.046 a / r: bone that is so flat hardly
    bends, and then has no sharp edge all around.
    """
    size = float(np.sqrt(areas.sum()))
    normals = graph.smoothed(graph.normals, 2)
    lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    normals = normals / np.where(lengths > 0, lengths, 1.0)[:, None]
    seen = np.zeros(len(areas), dtype=bool)
    found = []
    for plane in _flattest(graph, normals, size):
        if seen[plane.vertex]:
            continue
        region, fitted = _extended(graph, normals, areas, plane, size)
        is_known = seen[region].mean() > 0.5  # found from another patch
        seen[region] = True
        area = areas[region].sum()
        if is_known or area < LEAST * size**2 or fitted.spread > FLAT * np.sqrt(area):
            continue
        if _sharp_share(graph, normals, region, fitted, size) >= SHARP:
            found.append(region)
    return found


def _flattest(graph: VertexGraph, normals: FloatArray, size: float) -> list[FittedPlane]:
    """Planes of the flattest small patches, the flattest first."""
    seeds, _ = coarse_mesh(graph.surface, SEEDS)
    tree = scipy.spatial.cKDTree(graph.points)
    planes = []
    for seed, near in zip(
        seeds, tree.query_ball_point(graph.points[seeds], REACH * size), strict=True
    ):
        patch = np.array(near)
        patch = patch[normals[patch] @ normals[seed] > ALIGNED]
        if len(patch) >= FEWEST:
            planes.append(_fitted(graph, normals, patch, np.ones(len(patch)), int(seed)))
    planes = [each for each in planes if each.spread < UNEVEN * REACH * size]
    return sorted(planes, key=lambda each: each.spread)[:MOST]


def _fitted(
    graph: VertexGraph, normals: FloatArray, vertices: IndexArray, weights: FloatArray, seed: int
) -> FittedPlane:
    """The plane with the least weighted sum of squared distances."""
    points = graph.points[vertices]
    centre = weights @ points / weights.sum()
    offsets = points - centre
    spreads, axes = np.linalg.eigh(offsets.T @ (weights[:, None] * offsets) / weights.sum())
    normal = axes[:, 0] if axes[:, 0] @ normals[seed] > 0 else -axes[:, 0]
    return FittedPlane(seed, centre, normal, float(np.sqrt(max(spreads[0], 0.0))))


def _extended(
    graph: VertexGraph, normals: FloatArray, areas: FloatArray, plane: FittedPlane, size: float
) -> tuple[IndexArray, FittedPlane]:
    """The connected vertices around the first one that lie in the plane, and their plane.

    If all that lie in the plane are too few for a cut, they are returned as they are.
    """
    reach = max(3 * plane.spread, TOLERANCE * size)
    for _ in range(ROUNDS):
        near = np.abs((graph.points - plane.centre) @ plane.normal) < reach
        near &= normals @ plane.normal > ALIGNED
        near[plane.vertex] = True
        if areas @ near < LEAST * size**2:
            return np.flatnonzero(near), plane
        region = next(part for part in graph.parts(near) if plane.vertex in part)
        plane = _fitted(graph, normals, region, areas[region], plane.vertex)
    return region, plane


def _sharp_share(
    graph: VertexGraph, normals: FloatArray, region: IndexArray, plane: FittedPlane, size: float
) -> float:
    """Fraction of the edge of a region where the surface ends, or soon turns away."""
    mask: BoolArray = np.zeros(len(normals), dtype=bool)
    mask[region] = True
    steps = max(2, int(np.ceil(BEYOND * size / np.median(graph.lengths))))
    within = graph.grown(mask, steps - 1)
    outside = graph.grown(within, 1) & ~within
    turned = np.count_nonzero(normals[outside] @ plane.normal < np.cos(np.radians(TURN)))
    ends = np.count_nonzero(mask & boundary_vertices(graph.surface))
    return float(turned + ends) / max(int(np.count_nonzero(outside)) + int(ends), 1)
