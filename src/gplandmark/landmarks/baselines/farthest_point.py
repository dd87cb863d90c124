# SPDX-License-Identifier: MIT
"""Farthest-point sampling: each point as far as can be from all before it."""

from collections.abc import Callable

import numpy as np

from gplandmark.landmarks.baselines.sampler import candidates, sampled
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.mesh import surface_area, voronoi_areas
from gplandmark.mesh.geodesics import geodesic_distances
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["farthest_point", "geodesic_farthest_point"]


def farthest_point(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Spread points by their distance in space.

        x_{m+1} = argmax_x min_{i <= m} |x - x_i|

    The first is the vertex farthest from the centre of the surface's area; with a seed it is
    drawn at random. Points are nested: the first k are what asking for k gives.
    """

    def distances(vertex: int) -> FloatArray:
        return np.asarray(np.linalg.norm(surface.points - surface.points[vertex], axis=1))

    among = candidates(surface, count, seed)
    first = _first(surface, among, seed)
    vertices = _farthest(among, first, count, distances)
    return sampled(
        surface,
        vertices,
        "farthest-point",
        count=count,
        seed=seed,
        first=int(surface.in_file(vertices)[0]),
    )


def geodesic_farthest_point(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Spread points by their distance along the surface, as `farthest_point` does in space.

    The distances are those of `gplandmark.mesh.geodesics`. A part of the surface that
    is connected to none of the points is infinitely far and comes next.
    """
    distances = geodesic_distances(surface)
    among = candidates(surface, count, seed)
    first = _first(surface, among, seed)
    vertices = _farthest(among, first, count, lambda vertex: distances(np.array([vertex])))
    name = "farthest-point-geodesic"
    return sampled(
        surface, vertices, name, count=count, seed=seed, first=int(surface.in_file(vertices)[0])
    )


def _first(surface: Surface, among: IndexArray, seed: int | None) -> int:
    if seed is not None:
        return int(np.random.default_rng(seed).choice(among))
    centre = voronoi_areas(surface) @ surface.points / surface_area(surface)
    return int(among[np.argmax(np.linalg.norm(surface.points[among] - centre, axis=1))])


def _farthest(
    among: IndexArray, first: int, count: int, distances: Callable[[int], FloatArray]
) -> IndexArray:
    """Pick one by one; a vertex that is picked is never picked again."""
    picks = [first]
    nearest = distances(first)[among]
    is_free = among != first
    while len(picks) < count:
        choice = int(np.argmax(np.where(is_free, nearest, -1.0)))
        picks.append(int(among[choice]))
        is_free[choice] = False
        nearest = np.minimum(nearest, distances(picks[-1])[among])
    return np.array(picks, dtype=np.int64)
