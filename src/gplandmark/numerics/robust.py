# SPDX-License-Identifier: MIT
"""How far values lie from the rest, whatever a few of them are."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

FAR = 3.5  # deviations; the customary limit for this score
NORMAL = 1.4826  # standard deviation over median deviation, where values are normal
SMALLEST = 1e-300


def log_deviations(values: FloatArray, negligible: float) -> FloatArray:
    """How far the logarithm of each value is from their median, in robust standard deviations.

    The unit is 1.4826 times the median of these distances, which is the standard deviation where
    they are normal. It is at least `negligible`: if all values are the same, 1 % is nothing.
    """
    logarithms = np.log(np.maximum(values, SMALLEST))
    offsets = logarithms - np.median(logarithms)
    return np.asarray(offsets / max(NORMAL * float(np.median(np.abs(offsets))), negligible))
