# SPDX-License-Identifier: MIT
"""Vertices at random, each as likely as the area that belongs to it is large."""

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks.baselines.sampler import candidates, sampled
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.mesh import voronoi_areas
from gplandmark.mesh.surface import Surface

__all__ = ["area_uniform", "random_vertices"]


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
