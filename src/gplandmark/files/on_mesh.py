# SPDX-License-Identifier: MIT
"""Landmarks of a file as they lie on a mesh: those that are there, in its coordinate system."""

import warnings
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.files import format_of, read_landmarks
from gplandmark.landmarks import Landmarks, in_system_of
from gplandmark.surface import Surface

__all__ = ["on_the_mesh", "read_sets"]


def read_sets(
    surface: Surface, paths: Sequence[Path], reserved: Collection[str] = ()
) -> dict[str, Landmarks]:
    """Read landmark files as they lie on a scan, and say what had to be done for it.

    Each is called by its name, or by its path where names repeat or are reserved.
    """
    sets = {path: _read(surface, path) for path in paths}
    short = {path: path.name[: -len(format_of(path)[0])] for path in sets}
    repeated = len(set(short.values())) < len(sets) or set(short.values()) & set(reserved)
    return {str(path) if repeated else short[path]: each for path, each in sets.items()}


def _read(surface: Surface, path: Path) -> Landmarks:
    landmarks, notes = on_the_mesh(surface, read_landmarks(path), path.name)
    for note in notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
    return landmarks


def on_the_mesh(
    surface: Surface, landmarks: Landmarks, name: str
) -> tuple[Landmarks, tuple[str, ...]]:
    """Landmarks that are there, in the system of the mesh, and what had to be done for it."""
    notes = landmarks.record.warnings if not landmarks.record.software else ()
    told, landmarks = landmarks.system, in_system_of(surface, landmarks)
    if told not in (None, landmarks.system):
        scan = "is marked" if surface.system else "is taken to be in"
        notes += (
            f"{name} is in {told} and the scan {scan} {landmarks.system}: the signs of x and y "
            "were turned.",
        )
    if landmarks.missing.any():
        there = np.flatnonzero(~landmarks.missing)
        notes += (f"{len(landmarks) - len(there)} missing landmarks of {name} were left out.",)
        landmarks = landmarks.chosen(there.tolist())
    return landmarks, notes
