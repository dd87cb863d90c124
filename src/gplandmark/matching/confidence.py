# SPDX-License-Identifier: MIT
"""How far a carried point may be off, and the chance that it is not far off."""

import numpy as np

from gplandmark.arrays import FloatArray

__all__ = ["NEAR", "confidence", "expected_square"]

NEAR = 0.1  # of the size: what counts as the right place
SPREAD, LOOP = 2.0, 0.5  # squared error for each square, measured on teeth, skulls, jaws and bones


def expected_square(spread: FloatArray, loop: FloatArray, flat: FloatArray) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the size."""
    return np.asarray(SPREAD * spread**2 + LOOP * loop**2 + 0 * flat + 0.005**2)


def confidence(square: FloatArray) -> FloatArray:
    """Chance that the error is below 0.1 of the size, (m,).

        1 - exp(-0.1^2 / E|e|^2),

    for an error that is Gaussian in two directions.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))
