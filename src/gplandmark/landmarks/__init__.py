# SPDX-License-Identifier: MIT
"""Landmarks: the whole method from a surface to ordered points, and the record of how."""

from gplandmark.landmarks.authors import AuthorsSettings
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.place import covariance, nearest_vertices, place
from gplandmark.landmarks.presets import PRESETS, preset
from gplandmark.landmarks.record import Record
from gplandmark.landmarks.settings import Settings

__all__ = [
    "PRESETS",
    "AuthorsSettings",
    "Landmarks",
    "Record",
    "Settings",
    "covariance",
    "nearest_vertices",
    "place",
    "preset",
]
