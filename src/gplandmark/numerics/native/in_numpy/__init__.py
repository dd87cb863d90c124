# SPDX-License-Identifier: MIT
# ruff: noqa: F401 -- the loops are looked up by their names
"""The loops of ``_compiled.c`` in NumPy: the same arguments, the same results to rounding."""

from gplandmark.numerics.native.in_numpy.gaussian_loops import (
    convolve,
    downdate,
    entries,
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
