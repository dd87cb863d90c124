# SPDX-License-Identifier: MIT
"""Expected error of a carried point, and the probability that it is small."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["NEAR", "confidence", "expected_square"]

NEAR = 0.1  # error, in units of size, below which a point counts as correct
# Fitted to teeth, skulls, jaws and heel bones: coefficients of the squares, and the least error.
SPREAD, LOOP, DISPLACEMENT, LEAST_ERROR = 5.0, 6.0, 0.25, 0.0065
RELIEF, FLAT = 0.05, 0.02  # typical relief; relief of a noisy plane


def expected_square(
    spread: FloatArray, loop: FloatArray, relief: FloatArray, displacement: float
) -> FloatArray:
    """Expected squared error of carried points, (m,), in units of the squared size.

        E|e|^2 = (5 s^2 + 6 l^2 + d^2 / 4 + 0.0065^2) sqrt(0.05 / (h + 0.02))

    Parameters
    ----------
    spread : (m,) s, the standard deviation of several estimates of the position
    loop : (m,) l, the inverse consistency error: distance of the point carried back from its start
    relief : (m,) h, how much the surface determines the position; a point slides on a flat part
    displacement : d, root mean square displacement between the specimens beyond their pose
    """
    squares = SPREAD * spread**2 + LOOP * loop**2 + DISPLACEMENT * displacement**2
    return np.asarray((squares + LEAST_ERROR**2) * np.sqrt(RELIEF / (relief + FLAT)))


def confidence(square: FloatArray) -> FloatArray:
    """Probability that the error is below 0.1 of the size, (m,).

        1 - exp(-0.1^2 / E|e|^2)

    The error is Gaussian in the tangent plane, so that |e| has a Rayleigh distribution.
    """
    return np.asarray(-np.expm1(-(NEAR**2) / np.maximum(square, np.finfo(float).tiny)))
