# SPDX-License-Identifier: MIT
"""The same points on every specimen: maps between surfaces, and whole samples of them."""

from gplandmark.morphometrics.matching.build_sample import extend_sample, match_sample
from gplandmark.morphometrics.matching.carry import Carried
from gplandmark.morphometrics.matching.sample_match import SampleMatch, carry_landmarks
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
