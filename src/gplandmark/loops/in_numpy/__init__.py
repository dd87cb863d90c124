# SPDX-License-Identifier: MIT
"""The loops of ``_compiled.c`` in NumPy: the same arguments, the same results to rounding."""

from gplandmark.loops.in_numpy.gaussians import (
    convolve,
    downdate,
    entries,
    horner,
    interpolate,
    neighbours,
    series,
    spread,
    tensor_entries,
)
from gplandmark.loops.in_numpy.pixels import blend, cover
from gplandmark.loops.in_numpy.surfaces import (
    areas,
    cells,
    census,
    hinges,
    normals,
    pairs,
    pieces,
    principal,
)
from gplandmark.loops.in_numpy.viewing import block

__all__ = [
    "areas",
    "blend",
    "block",
    "cells",
    "census",
    "convolve",
    "cover",
    "downdate",
    "entries",
    "hinges",
    "horner",
    "interpolate",
    "neighbours",
    "normals",
    "pairs",
    "pieces",
    "principal",
    "series",
    "spread",
    "tensor_entries",
]
