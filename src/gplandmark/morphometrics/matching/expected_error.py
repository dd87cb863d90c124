# SPDX-License-Identifier: MIT
"""How far a carried point may be off, and the chance that it is not far off."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["NEAR", "confidence", "expected_square"]

NEAR = 0.1  # of the size: what counts as the right place
# Measured on teeth, skulls, jaws and heel bones: squared error for each square, and at least.
SPREAD, LOOP, DISPLACEMENT, LEAST_ERROR = 5.0, 6.0, 0.25, 0.0065
RELIEF, FLAT = 0.05, 0.02  # at which the form holds a point as usual; of a plane with its noise


def expected_square(
    spread: FloatArray, loop: FloatArray, relief: FloatArray, displacement: float
) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the squared size.

        E|e|^2 = (5 s^2 + 6 l^2 + d^2 / 4 + 0.0065^2) sqrt(0.05 / (h + 0.02)),

    with the spread s of several estimates, the distance l by which the way there and back misses
    its start, the displacement d by which the specimens differ beyond their pose, and the relief h:
    on a flat part a point can slide.
    """
    squares = SPREAD * spread**2 + LOOP * loop**2 + DISPLACEMENT * displacement**2
    return np.asarray((squares + LEAST_ERROR**2) * np.sqrt(RELIEF / (relief + FLAT)))


def confidence(square: FloatArray) -> FloatArray:
    """Chance that the error is below 0.1 of the size, (m,).

        1 - exp(-0.1^2 / E|e|^2),

    for an error that is Gaussian in two directions.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))
