# SPDX-License-Identifier: MIT
"""The curvature that settings ask for, measured once for the weight and for the classes."""

import warnings
from typing import TypeAlias
from weakref import WeakKeyDictionary

from gplandmark.errors import GplandmarkWarning
from gplandmark.geometry import Curvature, estimate_curvature
from gplandmark.landmarks.settings import Settings
from gplandmark.surface import Surface

__all__ = ["curvature_of"]

Key: TypeAlias = tuple[str, float | None, int | None]
_latest: WeakKeyDictionary[Surface, tuple[Key, Curvature, tuple[str, ...]]] = WeakKeyDictionary()


def curvature_of(surface: Surface, settings: Settings) -> Curvature:
    """Curvature by the estimator of the settings; the latest of a surface is remembered.

    Its warnings are given every time, so that equal runs are told the same.
    """
    key = (settings.curvature, settings.curvature_radius, settings.curvature_neighbours)
    if surface not in _latest or _latest[surface][0] != key:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", GplandmarkWarning)
            curvature = estimate_curvature(surface, key[0], radius=key[1], neighbours=key[2])
        for array in (curvature.gaussian, curvature.mean):
            array.setflags(write=False)
        _latest[surface] = (key, curvature, tuple(str(each.message) for each in caught))
    _, curvature, notes = _latest[surface]
    for note in notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=2)
    return curvature
