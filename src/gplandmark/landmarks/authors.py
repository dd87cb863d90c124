# SPDX-License-Identifier: MIT
"""The method as the authors' published code does it, where that differs from the paper.

It exists so that published results can be reproduced. For anything new use `Settings`: here
the bandwidth follows the resolution of the mesh, so that landmarks move when it is decimated,
and above some 20,000 vertices the cut at 500 neighbours decides where they fall.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import GraphKernel, Kernel
from gplandmark.mesh import barycentric_areas, mean_edge_length, surface_area
from gplandmark.mesh.curvature import surface_variation
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["AuthorsSettings"]


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
