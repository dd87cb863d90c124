# SPDX-License-Identifier: MIT
"""The same points on every specimen: maps between surfaces, and whole samples of them."""

from gplandmark.matching.building import extend_sample, match_sample
from gplandmark.matching.carrying import Carried
from gplandmark.matching.homologous import carry_landmarks
from gplandmark.matching.pairs import SurfaceMap, match_pair
from gplandmark.matching.sample import SampleMatch

__all__ = [
    "Carried",
    "SampleMatch",
    "SurfaceMap",
    "carry_landmarks",
    "extend_sample",
    "match_pair",
    "match_sample",
]
