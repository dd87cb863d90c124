# SPDX-License-Identifier: MIT
"""Errors and warnings.

::

    GplandmarkError
    ├── ScanError            a scan cannot be read, or cannot carry landmarks
    ├── SettingsError        a parameter is outside its range
    ├── LandmarkFileError    a landmark file cannot be read or written
    │   └── OverwriteError   a file is there that must not be replaced (also a SettingsError)
    ├── ClusterError         the workers of a run cannot be reached
    ├── KernelError          a kernel is not a covariance
    ├── AnalysisError        shapes cannot be compared
    ├── PictureError         a picture cannot be drawn
    └── ViewerError          the viewer cannot start

    GplandmarkWarning        the result is valid, but the user should know this

Every message is one or two plain sentences: what is wrong, in which file when
there is one, and what to try. The command line prints them as they are. An error
carries its file as `path`; only `GplandmarkError.__str__` puts the two together.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

__all__ = [
    "AnalysisError",
    "ClusterError",
    "GplandmarkError",
    "GplandmarkWarning",
    "KernelError",
    "LandmarkFileError",
    "OverwriteError",
    "PictureError",
    "ScanError",
    "SettingsError",
    "ViewerError",
    "recorded_warnings",
    "warn",
]


class GplandmarkError(Exception):
    """Anything that this package refuses to do.

    Attributes
    ----------
    reason : what is wrong and what to try
    path : the file that it is about, or the name of the specimen; printed before the reason
    """

    _joint = ": "

    def __init__(self, reason: str = "", path: str | Path | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    @classmethod
    def of(cls, path: str | Path, predicate: str) -> Self:
        """Return an error whose sentence begins with the file: "tooth.ply is empty."."""
        error = cls(predicate, path)
        error._joint = " "
        return error

    def __str__(self) -> str:
        """Return the sentence: the path, if any, and the reason."""
        return self.reason if self.path is None else f"{self.path}{self._joint}{self.reason}"

    @classmethod
    @contextmanager
    def about(cls, path: str | Path, instead_of: str | Path | None = None) -> Iterator[None]:
        """Give errors that are raised inside this path: those with none, or with another one."""
        try:
            yield
        except cls as error:
            if str(error.path) == str(instead_of):
                error.path = path
            raise


class ScanError(GplandmarkError):
    """A scan cannot be read, or is not a surface that can carry landmarks."""


class SettingsError(GplandmarkError, ValueError):
    """A parameter is outside the range in which the method is defined."""


class LandmarkFileError(GplandmarkError):
    """A landmark file cannot be read or written."""


class OverwriteError(LandmarkFileError, SettingsError):
    """A file is there that must not be replaced unasked."""


class ClusterError(GplandmarkError):
    """The workers of a run cannot be reached, or are gone."""


class KernelError(GplandmarkError, ValueError):
    """A kernel has entries that no covariance can have."""


class AnalysisError(GplandmarkError, ValueError):
    """Landmarks of several specimens cannot be compared as shapes."""


class PictureError(GplandmarkError):
    """A picture cannot be drawn, or its file has an unknown extension."""


class ViewerError(GplandmarkError):
    """The viewer cannot start, or a page cannot be made."""


class GplandmarkWarning(UserWarning):
    """The result is valid, but the user should know what was decided on the way."""


def warn(sentence: str, stacklevel: int = 2) -> None:
    """Warn the user, in the name of the caller of the function that calls this.

    `stacklevel` is that of `warnings.warn`: 1 is the function that calls this.
    """
    warnings.warn(sentence, GplandmarkWarning, stacklevel=stacklevel + 1)


@contextmanager
def recorded_warnings() -> Iterator[list[str]]:
    """Yield a list that holds the texts of all warnings after the block; they are issued, too."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        yield notes
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        notes.append(str(each.message))
