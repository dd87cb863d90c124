# SPDX-License-Identifier: MIT
"""What colours mean: of values on a surface, of landmarks by class, and of sets of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.raster import Paint

__all__ = ["CLASS_COLOURS", "EARLIER", "NEW", "SET_COLOURS", "ColourScale", "Extend"]

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
    power : colours follow this power of the value's share of the range; below 1 shows more
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
        """Return matplotlib's function from values to shares of the colour map."""
        from matplotlib.colors import PowerNorm

        return PowerNorm(self.power, self.low, self.high, clip=True)

    def paint(self) -> Paint:
        """Return the function from values to colours."""
        from matplotlib import colormaps

        colours, norm = colormaps[self.name], self.norm()

        def painted(values: FloatArray) -> FloatArray:
            return np.asarray(colours(np.asarray(norm(values)))[:, :3])

        return painted
