# SPDX-License-Identifier: MIT
"""Automatic landmarks on surfaces, by Gaussian process landmarking on manifolds.

>>> import gplandmark
>>> surface = gplandmark.make_molar().surface
>>> landmarks = gplandmark.place(surface, 10)
>>> landmarks.points.shape
(10, 3)

The rooms, in the order in which data flows through them: `scans` (files become surfaces),
`surface`, `geometry` (areas, curvature), `kernel` (covariance), `selection` (pivoted
Cholesky), `landmarks` (the method on one page, and its result), `regression` (values from
landmarks), `theory` (how good they are), `files` (landmark files), `cli`. `specimens`
generates surfaces whose truth is known.
"""

from gplandmark.errors import (
    GplandmarkError,
    GplandmarkWarning,
    KernelError,
    LandmarkFileError,
    PictureError,
    ScanError,
    SettingsError,
)
from gplandmark.files import read_landmarks, write
from gplandmark.kernel import Kernel, as_kernel
from gplandmark.landmarks import (
    AuthorsSettings,
    LandmarkClass,
    Landmarks,
    Record,
    Settings,
    covariance,
    nearest_vertices,
    place,
    preset,
)
from gplandmark.regression import Lesson, Prediction, krige, learn, reconstruct
from gplandmark.scans import read
from gplandmark.selection import Design, Selection, Stop, select
from gplandmark.specimens import Molar, MolarShape, make_molar
from gplandmark.surface import Source, Surface

__all__ = [
    "AuthorsSettings",
    "Design",
    "GplandmarkError",
    "GplandmarkWarning",
    "Kernel",
    "KernelError",
    "LandmarkClass",
    "LandmarkFileError",
    "Landmarks",
    "Lesson",
    "Molar",
    "MolarShape",
    "PictureError",
    "Prediction",
    "Record",
    "ScanError",
    "Selection",
    "Settings",
    "SettingsError",
    "Source",
    "Stop",
    "Surface",
    "as_kernel",
    "covariance",
    "krige",
    "learn",
    "make_molar",
    "nearest_vertices",
    "place",
    "preset",
    "read",
    "read_landmarks",
    "reconstruct",
    "select",
    "write",
]
