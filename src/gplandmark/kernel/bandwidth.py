# SPDX-License-Identifier: MIT
"""How far a landmark's knowledge reaches."""

import numpy as np

from gplandmark.errors import SettingsError

__all__ = ["DEFAULT_FRACTION", "bandwidth", "check_bandwidth"]

DEFAULT_FRACTION = 0.008  # docs/math.md says what it was measured against


def bandwidth(area: float, fraction: float = DEFAULT_FRACTION) -> float:
    """Bandwidth eps = fraction * area, in squared units of the file.

    An area, like the eps of W = exp(-|x - y|^2 / eps): it follows the size of the specimen
    and never the resolution of its mesh.
    """
    check_bandwidth(fraction)
    return fraction * area


def check_bandwidth(value: float) -> None:
    """Refuse a bandwidth that is not a positive number."""
    if not 0 < value < np.inf:
        raise SettingsError(
            f"The bandwidth must be positive, got {value}. Try {DEFAULT_FRACTION} of the area."
        )
