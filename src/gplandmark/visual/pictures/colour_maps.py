# SPDX-License-Identifier: MIT
"""Values to paint a surface with, the scales of their colours, and the colours of landmarks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.gp.kernels import Kernel
from gplandmark.landmarks import (
    Landmarks,
    MethodSettings,
    Settings,
    covariance,
    masses,
    recalled_settings,
)
from gplandmark.landmarks.covariance import curvature_of, weight_per_vertex
from gplandmark.landmarks.variance_curve import condition_on
from gplandmark.mesh import vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.raster import Paint

CLASS_COLOURS: Mapping[str, str] = {
    "sharp": "#d62828",
    "semilandmark": "#1f6fd1",
    "outline": "#1a9850",
}
"""The three colours of figure 2 of the paper."""

SET_COLOURS = ("#d62828", "#1f6fd1", "#c77700", "#7b3fb5", "#1a9850", "#d0479b")
"""Of sets of landmarks on one surface, in the order in which they are given."""

EARLIER, NEW = "#5be34b", "#e41a1c"
"""Of the landmarks of figure 1 of the paper."""

Extend: TypeAlias = Literal["neither", "max", "both"]


@dataclass(frozen=True)
class ColourScale:
    """What the colours of a heat map mean.

    Attributes
    ----------
    low, high : values at the two ends
    label : what they are, with the unit
    name : of a colour map of matplotlib; the default serves colour-blind readers too
    power : colours follow this power of the value's fraction of the range; below 1 shows more
        among small values
    extend : on which sides there are values beyond the range, in the colours of its ends
    """

    low: float
    high: float
    label: str
    name: str = "viridis"
    power: float = 1.0
    extend: Extend = "neither"

    def norm(self) -> Any:
        """Return matplotlib's function from values to fractions of the colour map."""
        from matplotlib.colors import PowerNorm

        return PowerNorm(self.power, self.low, self.high, clip=True)

    def paint(self) -> Paint:
        """Return the function from values to colours."""
        from matplotlib import colormaps

        colours, norm = colormaps[self.name], self.norm()

        def painted(values: FloatArray) -> FloatArray:
            return np.asarray(colours(np.asarray(norm(values)))[:, :3])

        return painted


BEYOND = 2.0  # per cent of the vertices whose curvature or weight may lie beyond the scale


@dataclass(frozen=True, eq=False)
class Method:
    """How the covariance is defined: settings, and a weight (n,) in place of theirs."""

    settings: MethodSettings
    weight: FloatArray | None = None

    @classmethod
    def of(
        cls, landmarks: Landmarks | None, settings: MethodSettings | None, weight: FloatArray | None
    ) -> "Method":
        """These settings, or those that made the landmarks, or the paper's."""
        recalled = None
        if settings is None and landmarks is not None:
            recalled = recalled_settings(landmarks.record)
        return cls(settings if settings is not None else recalled or Settings(), weight)

    @property
    def has_weight(self) -> bool:
        """Whether its kernel weights the surface."""
        return isinstance(self.settings, Settings) and self.settings.is_weighted

    def kernel(self, surface: Surface) -> Kernel:
        """The covariance of a surface."""
        return covariance(surface, self.settings, self.weight)


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A value (n,) for every vertex, and the meaning of its colour."""

    values: FloatArray
    scale: ColourScale


def surface_heat_map(
    surface: Surface, colour: str, vertices: IndexArray, method: Method, unit: str
) -> HeatMap | None:
    """Values of that name; None for "plain".

    Parameters
    ----------
    colour : one of `COLOURS`
    vertices : of the landmarks that the variance is conditioned on
    method : that defines the variance and the weight
    unit : of lengths, for the label

    Raises
    ------
    PictureError
        The colour is unknown, or the method has no weight.
    """
    if not isinstance(colour, str) or colour not in COLOURS:
        raise PictureError(f"Unknown colour '{colour}'. Choose one of {', '.join(COLOURS)}.")
    if colour == "variance":
        left = 100 * remaining_fraction(surface, method.kernel(surface), vertices)
        return HeatMap(left, variance_scale(float(left[surface.covered()].max())))
    return None if colour == "plain" else MAPS[colour](surface, method, unit)


def remaining_fraction(
    surface: Surface, kernel: Kernel, vertices: Sequence[int] | IndexArray
) -> FloatArray:
    """Remaining variance at every vertex (n,), as a fraction of the largest initial one.

    It is clipped to 0 to 1: rounding, and vertices on no triangle, may exceed these limits.
    """
    return np.clip(condition_on(surface, kernel, vertices).variance, 0, 1)


def variance_scale(high: float) -> ColourScale:
    """Colours of the remaining variance, up to `high` per cent."""
    return ColourScale(0, high, "remaining variance, % of initial", power=0.5)


def _curvature(surface: Surface, method: Method, unit: str) -> HeatMap:
    """Mean curvature, positive on ridges whichever way the triangles face; of clouds unsigned."""
    mean = curvature_of(surface, method.settings).mean
    high = float(np.percentile(np.abs(mean[surface.covered()]), 100 - BEYOND)) or 1.0
    label = f"mean curvature, 1 / {unit}"
    if surface.triangles is None:
        return HeatMap(np.abs(mean), ColourScale(0, high, f"size of {label}", extend="max"))
    outwards = np.copysign(1.0, vertex_areas(surface) @ mean)
    return HeatMap(outwards * mean, ColourScale(-high, high, label, "RdBu_r", extend="both"))


def _weight(surface: Surface, method: Method, _unit: str) -> HeatMap:
    """The weight w of the method, w = 1 being its mean over the area."""
    settings = method.settings
    if not (isinstance(settings, Settings) and method.has_weight):
        raise PictureError(
            "This method has no weight to show. Choose another colour, or the reweighted kernel."
        )
    areas = vertex_areas(surface)
    mass = masses(surface, settings, weight_per_vertex(surface, method.weight)) * areas.sum()
    weight = np.divide(mass, areas, out=np.zeros(len(areas)), where=areas > 0)
    high = float(np.percentile(weight[areas > 0], 100 - BEYOND)) or float(weight.max())
    extend: Extend = "max" if weight.max() > high else "neither"
    return HeatMap(weight, ColourScale(0, high, "weight, 1 on average", extend=extend))


MAPS: Mapping[str, Callable[[Surface, Method, str], HeatMap]] = {
    "curvature": _curvature,
    "weight": _weight,
}
COLOURS = ("plain", "variance", *MAPS)
