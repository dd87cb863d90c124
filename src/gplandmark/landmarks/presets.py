# SPDX-License-Identifier: MIT
"""Named settings: the paper's method, and the authors' published code where it differs.

The authors' settings reproduce published results. For anything new use `Settings`: in the authors'
code the bandwidth follows the resolution of the mesh, so that landmarks move when the mesh is
decimated. Above some 20,000 vertices the cut at 500 neighbours decides where they fall.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import GraphKernel, Kernel
from gplandmark.landmarks.settings import KERNELS, Settings
from gplandmark.mesh import barycentric_areas, mean_edge_length, surface_area
from gplandmark.mesh.curvature import surface_variation
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray


@dataclass(frozen=True)
class AuthorsSettings:
    """The authors' covariance, on a mesh scaled to unit area.

        Lambda = nu * sigma / sum(sigma),    eps = (mean edge length) / 5

    with nu the barycentric areas and sigma the surface variation of 10 neighbours, and the
    kernel cut at the 500 nearest neighbours and symmetrised.

    Attributes
    ----------
    curvature_weighted : False for Lambda = nu, without the surface variation
    """

    curvature_weighted: bool = True

    @property
    def bytes_per_vertex(self) -> int:
        """Memory that the kernel takes for each vertex."""
        return KERNELS["graph"].bytes_per_vertex

    def covariance(self, surface: Surface, weight: FloatArray | None = None) -> Kernel:
        """Make the kernel of a surface, which is scaled to unit area for it."""
        if weight is not None:
            raise SettingsError("The authors' preset has its own weight. Leave the weight out.")
        area = surface_area(surface)
        points = (surface.points - surface.points.mean(axis=0)) / np.sqrt(area)
        masses = barycentric_areas(surface) / area
        if self.curvature_weighted:
            score = surface_variation(points, neighbours=10)
            masses = masses * score / score.sum()
        eps = mean_edge_length(surface) / np.sqrt(area) / 5
        return GraphKernel(points, masses, eps, neighbours=500)


MethodSettings: TypeAlias = Settings | AuthorsSettings
"""How the covariance is made: by the paper's method, or by the authors' code."""

PRESETS: Mapping[str, MethodSettings] = {
    "paper": Settings(),
    "authors": AuthorsSettings(),
    "authors-uniform": AuthorsSettings(curvature_weighted=False),
}


def preset(name: str) -> MethodSettings:
    """Return the settings of that name: "paper", "authors" or "authors-uniform"."""
    if not isinstance(name, str) or name not in PRESETS:
        raise SettingsError(f"There is no preset '{name}'. Choose one of {', '.join(PRESETS)}.")
    return PRESETS[name]


def preset_name(settings: MethodSettings) -> str:
    """Return the name of these settings, or "custom"."""
    return next((name for name, known in PRESETS.items() if known == settings), "custom")
