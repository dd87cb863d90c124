# SPDX-License-Identifier: MIT
"""Automatic landmarks on surfaces, by Gaussian process landmarking on manifolds.

>>> import gplandmark
>>> surface = gplandmark.make_molar().surface
>>> landmarks = gplandmark.place(surface, 10)
>>> landmarks.points.shape
(10, 3)

Packages, each of which imports only from those before it:

    errors < numerics < mesh < gp < landmarks < io < morphometrics < visual < runs < cli

- `mesh`: surfaces, their geometry, regions, synthetic specimens
- `gp`: kernels, selection, regression and theory
- `landmarks`: the method on one surface, and its result
- `io`: scans, cleaning, landmark files
- `morphometrics`: matching, shape analysis, evaluation
- `visual`: pictures, the editor, the viewer
- `runs`: whole folders, on one computer or a cluster
- `cli`: the commands
"""

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
from gplandmark.gp.kernels import Kernel, as_kernel
from gplandmark.gp.regression import Lesson, Prediction, krige, learn, reconstruct
from gplandmark.gp.selection import Design, Selection, Stop, select
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.io.write_landmarks import write, write_collection
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
from gplandmark.landmarks.check import Check, check
from gplandmark.mesh.surface import Source, Surface
from gplandmark.mesh.synthetic import Molar, MolarShape, make_molar
from gplandmark.morphometrics.evaluation import Evaluation, evaluate
from gplandmark.morphometrics.matching import (
    SampleMatch,
    SurfaceMap,
    carry_landmarks,
    extend_sample,
    match_pair,
    match_sample,
)
from gplandmark.runs.engine import Machines
from gplandmark.runs.place_job import Placed, place_all
from gplandmark.visual.pictures import picture
from gplandmark.visual.viewer import show


def __getattr__(name: str) -> str:
    """The version, looked up where it is asked for: this takes longer than some imports."""
    if name != "__version__":
        raise AttributeError(f"module 'gplandmark' has no attribute '{name}'")
    from importlib.metadata import version

    return version("gplandmark")


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
