# SPDX-License-Identifier: MIT
"""What can go wrong, and what is merely worth saying.

::

    GplandmarkError
    ├── ScanError            a scan cannot be read, or cannot carry landmarks
    ├── SettingsError        a parameter is outside its range
    ├── LandmarkFileError    a landmark file cannot be read or written
    ├── ClusterError         the workers of a run cannot be had
    ├── KernelError          a kernel is not a covariance
    ├── AnalysisError        shapes cannot be compared
    ├── PictureError         a picture cannot be drawn
    └── ViewerError          the viewer cannot start

    GplandmarkWarning        the result stands, but the user should know this

Every message is one or two plain sentences: what is wrong, in which file when
there is one, and what to try. The command line prints them as they are.
"""

__all__ = [
    "AnalysisError",
    "ClusterError",
    "GplandmarkError",
    "GplandmarkWarning",
    "KernelError",
    "LandmarkFileError",
    "PictureError",
    "ScanError",
    "SettingsError",
    "ViewerError",
]


class GplandmarkError(Exception):
    """Anything that this package refuses to do, with the reason as its text."""


class ScanError(GplandmarkError):
    """A scan cannot be read, or is no surface that can carry landmarks."""


class SettingsError(GplandmarkError, ValueError):
    """A parameter is outside the range in which the method is defined."""


class LandmarkFileError(GplandmarkError):
    """A landmark file cannot be read or written."""


class ClusterError(GplandmarkError):
    """The workers that were to do the work cannot be had, or have gone."""


class KernelError(GplandmarkError, ValueError):
    """A kernel has entries that no covariance can have."""


class AnalysisError(GplandmarkError, ValueError):
    """Landmarks of several specimens cannot be compared as shapes."""


class PictureError(GplandmarkError):
    """A picture cannot be drawn, or its file has an ending that is no picture's."""


class ViewerError(GplandmarkError):
    """The viewer cannot start, or a page cannot be made."""


class GplandmarkWarning(UserWarning):
    """The result stands, but the user should know what was decided on the way."""
