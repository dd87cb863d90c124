# SPDX-License-Identifier: MIT
"""Landmarks on one surface: the method, its settings, its result and the record of both.

Import from here, and from `baselines`, `symmetry`, `check`, `compare` and `variance_curve`.
"""

from gplandmark.landmarks.between_vertices import SurfacePoint
from gplandmark.landmarks.classes import LandmarkClass, classes_of, classify
from gplandmark.landmarks.coordinate_system import in_system_of, scaled, to_system
from gplandmark.landmarks.covariance import covariance, masses, weight_per_vertex
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.on_surface import nearest_vertices
from gplandmark.landmarks.place import place
from gplandmark.landmarks.presets import PRESETS, AuthorsSettings, MethodSettings, preset
from gplandmark.landmarks.record import Record, recalled_settings
from gplandmark.landmarks.settings import Settings

__all__ = [
    "PRESETS",
    "AuthorsSettings",
    "LandmarkClass",
    "Landmarks",
    "MethodSettings",
    "Record",
    "Settings",
    "SurfacePoint",
    "classes_of",
    "classify",
    "covariance",
    "in_system_of",
    "masses",
    "nearest_vertices",
    "place",
    "preset",
    "recalled_settings",
    "scaled",
    "to_system",
    "weight_per_vertex",
]
