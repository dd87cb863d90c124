# SPDX-License-Identifier: MIT
"""Other ways to spread points over a surface, to compare with, all behind one interface.

A sampler takes a surface, a count and a seed, and returns `Landmarks`. A new one is a function in
`methods`, and a line in `SAMPLERS`.
"""

from collections.abc import Mapping

from gplandmark.landmarks.baselines.methods import (
    area_uniform,
    curvature_peaks,
    farthest_point,
    geodesic_farthest_point,
    random_vertices,
)
from gplandmark.landmarks.baselines.sampler import Sampler

__all__ = [
    "SAMPLERS",
    "Sampler",
    "area_uniform",
    "curvature_peaks",
    "farthest_point",
    "geodesic_farthest_point",
    "random_vertices",
]

SAMPLERS: Mapping[str, Sampler] = {
    "farthest-point": farthest_point,
    "farthest-point-geodesic": geodesic_farthest_point,
    "random": random_vertices,
    "area-uniform": area_uniform,
    "curvature-peaks": curvature_peaks,
}
