# SPDX-License-Identifier: MIT
"""Farthest points, random vertices and peaks of the curvature."""

import warnings
from collections.abc import Callable

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.gp.kernels import DEFAULT_FRACTION, curvature_weight
from gplandmark.landmarks.baselines.sampler import candidates, sampled
from gplandmark.landmarks.covariance import curvature_of
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.mesh import edges, surface_area, voronoi_areas
from gplandmark.mesh.geodesics import geodesic_distances
from gplandmark.mesh.neighbours import pick_farthest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


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
    """Pick vertices one by one among the candidates."""
    start = int(np.flatnonzero(among == first)[0])
    return among[pick_farthest(lambda pick: distances(int(among[pick]))[among], start, count)[0]]


def area_uniform(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Draw different vertices with probability nu(x) / area: points ignore how fine the mesh is.

    nu is the mixed Voronoi area. Draws are without replacement, in the order in which the
    exponential clocks E / nu ring, so that the first k are what asking for k gives. Without a
    seed it is 0.

    Raises
    ------
    SettingsError
        Fewer vertices than that have an area.
    """
    among = candidates(surface, count, seed)
    areas = voronoi_areas(surface)[among]
    if np.count_nonzero(areas) < count:
        raise SettingsError(
            f"{surface.name}: only {np.count_nonzero(areas):,} vertices have an area, "
            f"got a count of {count}."
        )
    clocks = np.random.default_rng(seed or 0).standard_exponential(len(among))
    rings = np.divide(clocks, areas, out=np.full(len(among), np.inf), where=areas > 0)
    vertices = among[np.argsort(rings, kind="stable")[:count]]
    return sampled(surface, vertices, "area-uniform", count=count, seed=seed or 0)


def random_vertices(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Draw different vertices at random: points crowd where the mesh is fine.

    The first k of them are what asking for k gives. Without a seed it is 0.
    """
    among = candidates(surface, count, seed)
    vertices = np.random.default_rng(seed or 0).permutation(among)[:count]
    return sampled(surface, vertices, "random", count=count, seed=seed or 0)


APART = float(np.sqrt(DEFAULT_FRACTION))
"""Radius as a fraction of sqrt(area): as far as a landmark reaches with the default bandwidth."""

HALVINGS = 10


def curvature_peaks(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Take the highest local maxima of the curvature weight that are not close together.

    The weight is w of equation (weight-function-discrete). A vertex is a local maximum if no
    neighbour has a larger weight. They are taken by height, each ruling out those within a
    radius of 0.09 sqrt(area). Where that leaves fewer than `count`, the radius is halved until
    it does not; the record states it. Where there are fewer maxima than that, all of them
    come and a warning says so. The seed changes nothing.
    """
    candidates(surface, count, seed)
    weight = curvature_weight(curvature_of(surface), voronoi_areas(surface))
    peaks = _peaks(surface, weight)
    size = float(np.sqrt(surface_area(surface)))
    radius, found = 0.0, peaks[:count]
    if len(peaks) >= count:
        for radius in (*(APART / 2**halving for halving in range(HALVINGS)), 0.0):
            found = _apart(surface.points, peaks, radius * size, count)
            if len(found) == count:
                break
    notes: tuple[str, ...] = ()
    if len(found) < count:
        notes = (f"{surface.name} has only {len(found)} peaks of curvature, not {count}.",)
        warnings.warn(notes[0], GplandmarkWarning, stacklevel=2)
    return sampled(
        surface, found, "curvature-peaks", count=count, seed=seed, warnings=notes, radius=radius
    )


def _peaks(surface: Surface, weight: FloatArray) -> IndexArray:
    """Local maxima, the highest first."""
    ends, _ = edges(surface)
    highest = np.zeros(surface.vertex_count)
    np.maximum.at(highest, ends[:, 0], weight[ends[:, 1]])
    np.maximum.at(highest, ends[:, 1], weight[ends[:, 0]])
    found = np.flatnonzero((weight >= highest) & surface.covered())
    return np.asarray(found[np.argsort(-weight[found], kind="stable")])


def _apart(points: FloatArray, ordered: IndexArray, radius: float, count: int) -> IndexArray:
    """Take the first of the ordered points, and those farther than the radius from all taken."""
    is_free = np.ones(len(ordered), dtype=bool)
    taken: list[int] = []
    while is_free.any() and len(taken) < count:
        choice = ordered[np.argmax(is_free)]
        taken.append(int(choice))
        is_free &= np.linalg.norm(points[ordered] - points[choice], axis=1) > radius
    return np.array(taken, dtype=np.int64)
