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

import typing as _typing
from importlib import import_module as _import_module

if _typing.TYPE_CHECKING:  # the same names once more, for type checkers and editors
    from gplandmark.errors import AnalysisError as AnalysisError
    from gplandmark.errors import ClusterError as ClusterError
    from gplandmark.errors import GplandmarkError as GplandmarkError
    from gplandmark.errors import GplandmarkWarning as GplandmarkWarning
    from gplandmark.errors import KernelError as KernelError
    from gplandmark.errors import LandmarkFileError as LandmarkFileError
    from gplandmark.errors import PictureError as PictureError
    from gplandmark.errors import ScanError as ScanError
    from gplandmark.errors import SettingsError as SettingsError
    from gplandmark.errors import ViewerError as ViewerError
    from gplandmark.gp.kernels import Kernel as Kernel
    from gplandmark.gp.kernels import as_kernel as as_kernel
    from gplandmark.gp.regression import FittedKernel as FittedKernel
    from gplandmark.gp.regression import Lesson as Lesson
    from gplandmark.gp.regression import Prediction as Prediction
    from gplandmark.gp.regression import fit_kernel as fit_kernel
    from gplandmark.gp.regression import krige as krige
    from gplandmark.gp.regression import krige_at as krige_at
    from gplandmark.gp.regression import learn as learn
    from gplandmark.gp.regression import posterior_covariance as posterior_covariance
    from gplandmark.gp.regression import posterior_samples as posterior_samples
    from gplandmark.gp.regression import reconstruct as reconstruct
    from gplandmark.gp.selection import Design as Design
    from gplandmark.gp.selection import Selection as Selection
    from gplandmark.gp.selection import Stop as Stop
    from gplandmark.gp.selection import select as select
    from gplandmark.io.landmark_files import read_collection as read_collection
    from gplandmark.io.landmark_files import read_landmarks as read_landmarks
    from gplandmark.io.scans import read as read
    from gplandmark.io.scans.rules import Rules as Rules
    from gplandmark.io.volumes.options import VolumeOptions as VolumeOptions
    from gplandmark.io.write_landmarks import write as write
    from gplandmark.io.write_landmarks import write_collection as write_collection
    from gplandmark.landmarks import AuthorsSettings as AuthorsSettings
    from gplandmark.landmarks import LandmarkClass as LandmarkClass
    from gplandmark.landmarks import Landmarks as Landmarks
    from gplandmark.landmarks import Record as Record
    from gplandmark.landmarks import Settings as Settings
    from gplandmark.landmarks import covariance as covariance
    from gplandmark.landmarks import nearest_vertices as nearest_vertices
    from gplandmark.landmarks import place as place
    from gplandmark.landmarks import preset as preset
    from gplandmark.landmarks import scaled as scaled
    from gplandmark.landmarks import to_system as to_system
    from gplandmark.landmarks.check import Check as Check
    from gplandmark.landmarks.check import check as check
    from gplandmark.mesh.as_surface import as_surface as as_surface
    from gplandmark.mesh.surface import Source as Source
    from gplandmark.mesh.surface import Surface as Surface
    from gplandmark.mesh.synthetic import Molar as Molar
    from gplandmark.mesh.synthetic import MolarShape as MolarShape
    from gplandmark.mesh.synthetic import make_molar as make_molar
    from gplandmark.morphometrics.evaluation import Evaluation as Evaluation
    from gplandmark.morphometrics.evaluation import evaluate as evaluate
    from gplandmark.morphometrics.matching import SampleMatch as SampleMatch
    from gplandmark.morphometrics.matching import SurfaceMap as SurfaceMap
    from gplandmark.morphometrics.matching import carry_landmarks as carry_landmarks
    from gplandmark.morphometrics.matching import extend_sample as extend_sample
    from gplandmark.morphometrics.matching import match_pair as match_pair
    from gplandmark.morphometrics.matching import match_sample as match_sample
    from gplandmark.morphometrics.prediction import PredictedSample as PredictedSample
    from gplandmark.morphometrics.prediction import Suggestion as Suggestion
    from gplandmark.morphometrics.prediction import predict as predict
    from gplandmark.morphometrics.prediction import suggest as suggest
    from gplandmark.runs.engine import Machines as Machines
    from gplandmark.runs.place_job import Placed as Placed
    from gplandmark.runs.place_job import place_all as place_all
    from gplandmark.visual.pictures import picture as picture
    from gplandmark.visual.viewer import show as show

_MODULES = {
    "errors": (
        "AnalysisError ClusterError GplandmarkError GplandmarkWarning KernelError "
        "LandmarkFileError PictureError ScanError SettingsError ViewerError "
    ),
    "gp.kernels": "Kernel as_kernel",
    "gp.regression": (
        "FittedKernel Lesson Prediction fit_kernel krige krige_at learn posterior_covariance "
        "posterior_samples reconstruct"
    ),
    "gp.selection": "Design Selection Stop select",
    "io.landmark_files": "read_collection read_landmarks",
    "io.scans": "read",
    "io.scans.rules": "Rules",
    "io.volumes.options": "VolumeOptions",
    "io.write_landmarks": "write write_collection",
    "landmarks": (
        "AuthorsSettings LandmarkClass Landmarks Record Settings "
        "covariance nearest_vertices place preset scaled "
        "to_system "
    ),
    "landmarks.check": "Check check",
    "mesh.as_surface": "as_surface",
    "mesh.surface": "Source Surface",
    "mesh.synthetic": "Molar MolarShape make_molar",
    "morphometrics.evaluation": "Evaluation evaluate",
    "morphometrics.matching": (
        "SampleMatch SurfaceMap carry_landmarks extend_sample match_pair match_sample "
    ),
    "morphometrics.prediction": "PredictedSample Suggestion predict suggest",
    "runs.engine": "Machines",
    "runs.place_job": "Placed place_all",
    "visual.pictures": "picture",
    "visual.viewer": "show",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
_PACKAGES = (
    "errors", "numerics", "mesh", "gp", "landmarks", "io", "morphometrics", "visual", "runs", "cli",
)  # fmt: skip

__all__ = sorted(_HOME)


def __getattr__(name: str) -> _typing.Any:
    """Import a name, or a package of this one, when it is first used (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        value: _typing.Any = version("gplandmark")
    elif name in _HOME:
        value = getattr(_import_module(f"gplandmark.{_HOME[name]}"), name)
    elif name in _PACKAGES:
        return _import_module(f"gplandmark.{name}")
    else:
        raise AttributeError(f"module 'gplandmark' has no attribute '{name}'")
    globals()[name] = value  # found at once from now on
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES, "__version__"])
