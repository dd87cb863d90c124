# SPDX-License-Identifier: MIT
"""Peaks of the curvature: the places a person would point at, without any process."""

import warnings

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.gp.kernels import DEFAULT_FRACTION, curvature_weight
from gplandmark.landmarks.baselines.sampler import candidates, sampled
from gplandmark.landmarks.covariance_inputs import curvature_of
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.settings import Settings
from gplandmark.mesh import edges, surface_area, voronoi_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["curvature_peaks"]

APART = float(np.sqrt(DEFAULT_FRACTION))
"""Radius as a share of sqrt(area): as far as a landmark reaches with the default bandwidth."""

HALVINGS = 10


def curvature_peaks(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Take the highest local maxima of the curvature weight that are not close together.

    The weight is w of equation (weight-function-discrete). A vertex is a local maximum if no
    neighbour has a larger weight. They are taken by height, each ruling out those within a
    radius of 0.09 sqrt(area). Where that leaves fewer than `count`, the radius is halved until
    it does not; it stands in the record. Where there are fewer maxima than that, all of them
    come and a warning says so. The seed changes nothing.
    """
    candidates(surface, count, seed)
    weight = curvature_weight(curvature_of(surface, Settings()), voronoi_areas(surface))
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
