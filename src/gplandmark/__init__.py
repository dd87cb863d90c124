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
landmarks), `theory` (how good they are), `files` (landmark files), `checking` (whether landmarks
belong to a scan), `cli`. `specimens` generates surfaces whose truth is known.
"""

from gplandmark.checking import Check, check
from gplandmark.cleaning import Rules
from gplandmark.collections import Placed, place_all
from gplandmark.engine import Machines
from gplandmark.errors import (
    AnalysisError,
    ClusterError,
    GplandmarkError,
    GplandmarkWarning,
    KernelError,
    LandmarkFileError,
    PictureError,
    ScanError,
    SettingsError,
    ViewerError,
)
from gplandmark.evaluation import Evaluation, evaluate
from gplandmark.files import read_collection, read_landmarks, write, write_collection
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
    scaled,
    to_system,
)
from gplandmark.matching import (
    SampleMatch,
    SurfaceMap,
    carry_landmarks,
    extend_sample,
    match_pair,
    match_sample,
)
from gplandmark.pictures import picture
from gplandmark.regression import Lesson, Prediction, krige, learn, reconstruct
from gplandmark.scans import read
from gplandmark.selection import Design, Selection, Stop, select
from gplandmark.specimens import Molar, MolarShape, make_molar
from gplandmark.surface import Source, Surface
from gplandmark.viewer import show

__all__ = [
    "AnalysisError",
    "AuthorsSettings",
    "Check",
    "ClusterError",
    "Design",
    "Evaluation",
    "GplandmarkError",
    "GplandmarkWarning",
    "Kernel",
    "KernelError",
    "LandmarkClass",
    "LandmarkFileError",
    "Landmarks",
    "Lesson",
    "Machines",
    "Molar",
    "MolarShape",
    "PictureError",
    "Placed",
    "Prediction",
    "Record",
    "Rules",
    "SampleMatch",
    "ScanError",
    "Selection",
    "Settings",
    "SettingsError",
    "Source",
    "Stop",
    "Surface",
    "SurfaceMap",
    "ViewerError",
    "as_kernel",
    "carry_landmarks",
    "check",
    "covariance",
    "evaluate",
    "extend_sample",
    "krige",
    "learn",
    "make_molar",
    "match_pair",
    "match_sample",
    "nearest_vertices",
    "picture",
    "place",
    "place_all",
    "preset",
    "read",
    "read_collection",
    "read_landmarks",
    "reconstruct",
    "scaled",
    "select",
    "show",
    "to_system",
    "write",
    "write_collection",
]
