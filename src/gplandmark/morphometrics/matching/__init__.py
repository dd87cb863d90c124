# SPDX-License-Identifier: MIT
"""Surface matching: maps between two surfaces and within samples, and landmarks carried by them.

Import from this package, and dense correspondence from `dense_points`.
"""

from gplandmark.morphometrics.matching.build_sample import extend_sample, match_sample
from gplandmark.morphometrics.matching.carried_points import Carried
from gplandmark.morphometrics.matching.sample_landmarks import carry_landmarks
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.morphometrics.matching.surface_map import SurfaceMap, match_pair

__all__ = [
    "Carried",
    "SampleMatch",
    "SurfaceMap",
    "carry_landmarks",
    "extend_sample",
    "match_pair",
    "match_sample",
]
