# SPDX-License-Identifier: MIT
"""Vertices at random, each as likely as every other."""

import numpy as np

from gplandmark.baselines.sampled import candidates, sampled
from gplandmark.landmarks import Landmarks
from gplandmark.surface import Surface

__all__ = ["random_vertices"]


def random_vertices(surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
    """Draw different vertices at random: points crowd where the mesh is fine.

    The first k of them are what asking for k gives. Without a seed it is 0.
    """
    among = candidates(surface, count, seed)
    vertices = np.random.default_rng(seed or 0).permutation(among)[:count]
    return sampled(surface, vertices, "random", count=count, seed=seed or 0)
