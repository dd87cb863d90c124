# SPDX-License-Identifier: MIT
"""Semilandmarks: points of curves and surfaces that slide along them; import from this package.

`slide` moves them along their curve or surface to where they differ least from the mean shape.
"""

from gplandmark.morphometrics.semilandmarks.bending_energy import bending_energy_matrix
from gplandmark.morphometrics.semilandmarks.slide import Slid, slide
from gplandmark.morphometrics.semilandmarks.slide_collection import (
    SlidCollection,
    slide_collection,
)
from gplandmark.morphometrics.semilandmarks.sliders import Sliders, sliders_along
from gplandmark.morphometrics.semilandmarks.specimen_surface import SpecimenSurface

__all__ = [
    "Slid",
    "SlidCollection",
    "Sliders",
    "SpecimenSurface",
    "bending_energy_matrix",
    "slide",
    "slide_collection",
    "sliders_along",
]
