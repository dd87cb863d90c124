# SPDX-License-Identifier: MIT
"""What kind of place a landmark marks: the three classes of figure 2 of the paper."""

import warnings
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.landmarks.covariance import curvature_of
from gplandmark.landmarks.presets import MethodSettings
from gplandmark.mesh import Curvature, boundary_vertices, surface_area, voronoi_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

EXTREME = 3.0
"""A dome or a saddle is sharp where |kappa| is at least this many times its mean."""

NEAR_RIM = 0.2
"""A landmark that is not sharp is on the outline within this fraction of sqrt(area) of the rim."""


class LandmarkClass(StrEnum):
    """What kind of place a landmark marks."""

    SHARP = "sharp"
    """A cusp, a tip or a saddle, at extreme Gaussian curvature."""
    SEMILANDMARK = "semilandmark"
    """Along a ridge or a groove, or in a basin."""
    OUTLINE = "outline"
    """Near the open rim of the surface. A closed surface has none."""


def classify(
    surface: Surface, vertices: IndexArray, settings: MethodSettings | None = None
) -> tuple[LandmarkClass, ...]:
    """Class of each landmark, by the curvature there and the distance to the rim.

        sharp          |kappa(x)| >= 3 sum_k |kappa(x_k)| nu(x_k) / sum_k nu(x_k), and x is a
                       dome or a saddle: not kappa(x) > 0 with eta(x) against the mean of eta
        outline        not sharp, and |x - r| <= 0.2 sqrt(area) for some r on the rim
        semilandmark   everything else

    kappa and eta are the Gaussian and the mean curvature by the estimator of the settings. What
    bends the other way than the surface does on the whole is a bowl, and so a basin, however
    curved. Classes depend neither on units nor on pose, nor on which side triangles face. A
    point cloud has no classes.
    """
    if surface.triangles is None:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # the weight has given them
        curvature = curvature_of(surface, settings)
    is_sharp = _is_sharp(curvature, voronoi_areas(surface))[vertices]
    is_near = _rim_distances(surface, vertices) <= NEAR_RIM * np.sqrt(surface_area(surface))
    return tuple(
        LandmarkClass.SHARP
        if sharp
        else (LandmarkClass.OUTLINE if near else LandmarkClass.SEMILANDMARK)
        for sharp, near in zip(is_sharp, is_near, strict=True)
    )


def classes_of(texts: Sequence[str | None]) -> tuple[LandmarkClass, ...]:
    """Read classes from the texts of a file; empty if one of them is not a class."""
    try:
        return tuple(LandmarkClass(str(text)) for text in texts)
    except ValueError:
        return ()


def _is_sharp(curvature: Curvature, areas: FloatArray) -> BoolArray:
    """Which vertices are domes or saddles of extreme Gaussian curvature, shape (n,)."""
    bend = np.abs(curvature.gaussian)
    mean = bend @ areas / areas.sum()
    outwards = np.copysign(1.0, curvature.mean @ areas)
    is_bowl = (curvature.gaussian > 0) & (outwards * curvature.mean < 0)
    return np.asarray((mean > 0) & (bend >= EXTREME * mean) & ~is_bowl)


def _rim_distances(surface: Surface, vertices: IndexArray) -> FloatArray:
    """Distance (m,) of vertices to the nearest vertex of the rim; infinite without a rim."""
    rim = surface.points[boundary_vertices(surface)]
    if len(rim) == 0:
        return np.full(len(vertices), np.inf)
    # Few enough to do without a tree, which takes longer to import than to use.
    squares = [((rim - point) ** 2).sum(axis=1).min() for point in surface.points[vertices]]
    return np.asarray(np.sqrt(squares))
