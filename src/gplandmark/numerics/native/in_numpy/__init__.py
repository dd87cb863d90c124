# SPDX-License-Identifier: MIT
"""The loops of ``_compiled.c`` in NumPy: the same arguments, the same results to rounding."""

from gplandmark.numerics.native.in_numpy.gaussian_loops import (
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
from gplandmark.numerics.native.in_numpy.surface_loops import (
    areas,
    cells,
    census,
    hinges,
    normals,
    pairs,
    pieces,
    principal,
)
from gplandmark.numerics.native.in_numpy.viewing_loops import blend, block, cover

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
