# SPDX-License-Identifier: MIT
"""Synthetic specimens with known geometry: surfaces with formulas, and a molar with cusps."""

from gplandmark.mesh.synthetic.molar import Molar, MolarShape, make_molar
from gplandmark.mesh.synthetic.shapes import cylinder, ellipsoid, plane, saddle, sphere, torus

__all__ = [
    "Molar",
    "MolarShape",
    "cylinder",
    "ellipsoid",
    "make_molar",
    "plane",
    "saddle",
    "sphere",
    "torus",
]
