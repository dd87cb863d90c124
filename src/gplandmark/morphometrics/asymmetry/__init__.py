# SPDX-License-Identifier: MIT
"""Left and right: pairs of landmarks, symmetric and asymmetric shape; import from this package."""

from gplandmark.morphometrics.asymmetry.asymmetry import (
    Asymmetry,
    matching_symmetry,
    object_symmetry,
)
from gplandmark.morphometrics.asymmetry.landmark_pairs import (
    LandmarkPairs,
    find_pairs,
    pairs_by_name,
    read_pairs,
)
from gplandmark.morphometrics.asymmetry.mirror import filled_from_other_side, symmetrised

__all__ = [
    "Asymmetry",
    "LandmarkPairs",
    "filled_from_other_side",
    "find_pairs",
    "matching_symmetry",
    "object_symmetry",
    "pairs_by_name",
    "read_pairs",
    "symmetrised",
]
