# SPDX-License-Identifier: MIT
"""Other ways to spread points over a surface, to compare with, all behind one interface.

A sampler takes a surface, a count and a seed, and returns `Landmarks`. A new one is a function
and a line in `SAMPLERS`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from gplandmark.errors import SettingsError, warn
from gplandmark.gp.kernels import DEFAULT_FRACTION, curvature_weight
from gplandmark.landmarks.classes import classify
from gplandmark.landmarks.covariance import curvature_of
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.record import Record, describe_input, software_versions
from gplandmark.mesh import edges, surface_area, voronoi_areas
from gplandmark.mesh.geodesics import geodesic_distances
from gplandmark.mesh.neighbours import pick_farthest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


class Sampler(Protocol):
    """A way to choose points of a surface."""

    def __call__(self, surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
        """Choose `count` vertices; what is left to chance follows from the seed."""


def candidates(surface: Surface, count: int, seed: int | None) -> IndexArray:
    """Vertices that belong to a triangle; more than these cannot be asked for.

    Raises
    ------
    SettingsError
        The count is below 1 or above their number, or the seed is negative.
    """
    covered = np.flatnonzero(surface.covered())
    if not 1 <= count <= len(covered):
        raise SettingsError(
            f"{surface.name}: the number of landmarks must be from 1 to {len(covered):,}, the "
            f"number of vertices on the surface, got {count}."
        )
    if seed is not None and seed < 0:
        raise SettingsError(f"The seed must be 0 or more, got {seed}.")
    return covered


def sampled(
    surface: Surface,
    vertices: IndexArray,
    method: str,
    *,
    count: int,
    seed: int | None,
    warnings: tuple[str, ...] = (),
    **details: Any,
) -> Landmarks:
    """Landmarks at these vertices of the surface, with a record of the sampler that chose them."""
    stopped = "count" if len(vertices) == count else "exhausted"
    record = Record(
        input=describe_input(surface),
        settings={"preset": "baseline", "method": method, **details},
        request={"count": count, "seed": seed},
        outcome={"landmarks": len(vertices), "stopped": stopped},
        warnings=warnings,
        software=software_versions(),
    )
    return Landmarks.at(
        surface.points[vertices],
        surface.name,
        vertices=surface.in_file(np.asarray(vertices, dtype=np.int64)),
        classes=classify(surface, vertices),
        record=record,
        surface=surface,
    )


def farthest_point(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Spread points by their distance in space.

        x_{m+1} = argmax_x min_{i <= m} |x - x_i|

    The first is the vertex farthest from the centre of the surface's area; with a seed it is
    drawn at random. Points are nested: the first k are what asking for k gives.
    """

    def distances(vertex: int) -> FloatArray:
        return np.asarray(np.linalg.norm(surface.points - surface.points[vertex], axis=1))

    return _farthest(surface, count, seed, "farthest-point", distances)


def geodesic_farthest_point(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Spread points by their distance along the surface, as `farthest_point` does in space.

    The distances are those of `gplandmark.mesh.geodesics`. A part of the surface that
    is connected to none of the points is infinitely far and comes next.
    """
    along = geodesic_distances(surface)
    name = "farthest-point-geodesic"
    return _farthest(surface, count, seed, name, lambda vertex: along(np.array([vertex])))


def _farthest(
    surface: Surface,
    count: int,
    seed: int | None,
    name: str,
    distances: Callable[[int], FloatArray],
) -> Landmarks:
    """Pick vertices one by one, each farthest from those before."""
    among = candidates(surface, count, seed)
    if seed is None:
        centre = voronoi_areas(surface) @ surface.points / surface_area(surface)
        start = int(np.argmax(np.linalg.norm(surface.points[among] - centre, axis=1)))
    else:
        start = int(np.random.default_rng(seed).choice(len(among)))
    picks, _ = pick_farthest(lambda pick: distances(int(among[pick]))[among], start, count)
    first = int(surface.in_file(among[picks])[0])
    return sampled(surface, among[picks], name, count=count, seed=seed, first=first)


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
        warn(notes[0])
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


SAMPLERS: Mapping[str, Sampler] = {
    "farthest-point": farthest_point,
    "farthest-point-geodesic": geodesic_farthest_point,
    "random": random_vertices,
    "area-uniform": area_uniform,
    "curvature-peaks": curvature_peaks,
}
