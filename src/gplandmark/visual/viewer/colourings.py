# SPDX-License-Identifier: MIT
"""What a specimen can be painted by: variance, curvature, weight, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gplandmark.landmarks import Settings
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.pictures.colour_maps import (
    WEIGHTED,
    HeatMap,
    Method,
    heat_map,
    variance_scale,
)
from gplandmark.visual.viewer.display_mesh import DisplayMesh
from gplandmark.visual.viewer.steps import Steps

__all__ = ["LOWEST", "PAINTINGS", "VARIANCE", "Exhibit", "colour_scale", "offered", "values_of"]

PAINTINGS = ("variance", "curvature", "weight", "plain")
VARIANCE = variance_scale(100)
LOWEST = 1e-3  # %: where less variance is left, colours would show rounding errors
UNIT = "file unit"
NONE = np.zeros(0, dtype=np.int64)


@dataclass(eq=False)
class Exhibit:
    """One specimen that is shown, and its landmarks as far as they are known by now.

    Attributes
    ----------
    surface : in the coordinates of its file
    title : written above it
    mesh : what is drawn of it
    method : whose variance, curvature and weight are painted
    steps : its landmarks; None until there are any
    """

    surface: Surface
    title: str
    mesh: DisplayMesh
    method: Method = field(default_factory=lambda: Method(Settings()))
    steps: Steps | None = None
    _maps: dict[str, HeatMap | None] = field(default_factory=dict, repr=False)

    def heat_map(self, painting: str) -> HeatMap | None:
        """The map of that name for all vertices, made when it is first asked for."""
        if painting not in self._maps:
            self._maps[painting] = heat_map(self.surface, painting, NONE, self.method, UNIT)
        return self._maps[painting]


def offered(exhibits: Sequence[Exhibit]) -> tuple[str, ...]:
    """Paintings that all exhibits have: not every method has a weight."""
    have_weight = all(
        isinstance(each.method.settings, Settings) and each.method.settings.kernel in WEIGHTED
        for each in exhibits
    )
    return tuple(each for each in PAINTINGS if each != "weight" or have_weight)


def values_of(exhibit: Exhibit, painting: str, step: int) -> FloatArray | None:
    """A value for every vertex that is drawn, (k,); None for the colour of bone."""
    if painting == "variance":
        steps = exhibit.steps
        return None if steps is None else 100 * steps.variance(min(step, len(steps)))
    found = exhibit.heat_map(painting)
    return None if found is None else np.asarray(found.values[exhibit.mesh.vertices])


def colour_scale(exhibits: Sequence[Exhibit], painting: str, step: int) -> ColourScale | None:
    """The scale that all exhibits share, so that their colours can be compared.

    That of the variance ends at the largest that is left at the step, so that every step shows
    where there is more and where less.
    """
    if painting == "variance":
        sets = [each.steps for each in exhibits if each.steps is not None]
        left = [100 * float(each.largest[min(step, len(each))]) for each in sets]
        return variance_scale(max(LOWEST, *left)) if left else None
    maps = [each.heat_map(painting) for each in exhibits]
    scales = [each.scale for each in maps if each is not None]
    if not scales:
        return None
    low, high = min(each.low for each in scales), max(each.high for each in scales)
    return replace(scales[0], low=low, high=high)
