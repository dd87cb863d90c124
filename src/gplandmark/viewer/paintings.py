# SPDX-License-Identifier: MIT
"""What a specimen can be painted by: variance, curvature, weight, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry import vertex_areas
from gplandmark.landmarks import AuthorsSettings, Settings, masses
from gplandmark.landmarks.curvatures import curvature_of
from gplandmark.pictures import ColourScale
from gplandmark.surface import Surface
from gplandmark.viewer.display import DisplayMesh
from gplandmark.viewer.steps import Steps

__all__ = ["PAINTINGS", "Exhibit", "colour_scale", "values_of"]

PAINTINGS = ("variance", "curvature", "weight", "plain")
TYPICAL = 98  # percentile at the ends of a scale: a few extreme vertices must not grey the rest
VARIANCE = ColourScale(0, 100, "variance left, % of the start", power=0.5)


@dataclass(eq=False)
class Exhibit:
    """One specimen that is shown, and its landmarks as far as they are known by now.

    Attributes
    ----------
    surface : in the coordinates of its file
    title : written above it
    mesh : what is drawn of it
    settings : what curvature and weight are taken from
    weight : (n,) in place of the weight of the settings
    steps : its landmarks; None until there are any
    """

    surface: Surface
    title: str
    mesh: DisplayMesh
    settings: Settings | AuthorsSettings | None = None
    weight: FloatArray | None = None
    steps: Steps | None = None

    @property
    def _own(self) -> Settings:
        return self.settings if isinstance(self.settings, Settings) else Settings()

    @cached_property
    def curvature(self) -> FloatArray:
        """Mean curvature at the vertices drawn, in 1 / file unit."""
        return np.asarray(curvature_of(self.surface, self._own).mean[self.mesh.vertices])

    @cached_property
    def density(self) -> FloatArray:
        """Weight w at the vertices drawn, relative to its mean over the area."""
        areas = vertex_areas(self.surface)
        products = masses(self.surface, self._own, self.weight) * areas.sum()
        found = np.divide(products, areas, out=np.zeros(len(areas)), where=areas > 0)
        return np.asarray(found[self.mesh.vertices])


def values_of(exhibit: Exhibit, painting: str, step: int) -> FloatArray | None:
    """A value for every vertex that is drawn, (k,); None for the colour of bone."""
    if painting == "curvature":
        return exhibit.curvature
    if painting == "weight":
        return exhibit.density
    if painting == "variance" and exhibit.steps is not None:
        return 100 * exhibit.steps.variance(min(step, len(exhibit.steps)))
    return None


def colour_scale(exhibits: Sequence[Exhibit], painting: str) -> ColourScale | None:
    """The scale that all exhibits share, so that their colours can be compared."""
    if painting == "curvature":
        sizes = np.concatenate([np.abs(each.curvature) for each in exhibits])
        high = _above_zero(np.percentile(sizes, TYPICAL))
        return ColourScale(-high, high, "mean curvature, 1 / file unit", "RdBu_r")
    if painting == "weight":
        values = np.concatenate([each.density for each in exhibits])
        high = _above_zero(np.percentile(values, TYPICAL))
        return ColourScale(0, high, "weight, times its mean", "viridis", 0.5)
    if painting == "variance" and any(each.steps is not None for each in exhibits):
        return VARIANCE
    return None


def _above_zero(value: float) -> float:
    return float(value) if value > 0 else 1.0
