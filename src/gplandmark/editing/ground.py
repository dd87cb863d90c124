# SPDX-License-Identifier: MIT
"""What stays the same while landmarks are edited."""

from dataclasses import dataclass

from gplandmark.arrays import FloatArray
from gplandmark.kernel import Kernel
from gplandmark.landmarks import AuthorsSettings, Settings
from gplandmark.surface import Surface

__all__ = ["Ground"]


@dataclass(frozen=True, eq=False)
class Ground:
    """A surface and the covariance of the process on it.

    Attributes
    ----------
    surface : with n vertices
    settings : how the covariance is made
    weight : (n,) in place of that of the settings, or None
    kernel : the covariance
    """

    surface: Surface
    settings: Settings | AuthorsSettings
    weight: FloatArray | None
    kernel: Kernel
