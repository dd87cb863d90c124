# SPDX-License-Identifier: MIT
"""Which vertices may be picked, and which vertex is nearest to a point."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.landmarks.numbers import excluded_vertices
from gplandmark.surface import Surface

__all__ = ["candidates_on", "nearest_vertices"]


def nearest_vertices(surface: Surface, points: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Number in the file of the vertex that is nearest to each point (m, d), and how far it is."""
    if points.shape[1] != surface.points.shape[1]:
        raise SettingsError(
            f"The points have dimension {points.shape[1]}, but {surface.name} has dimension "
            f"{surface.points.shape[1]}. They belong to another specimen."
        )
    covered = np.flatnonzero(surface.covered())
    distances, nearest = cKDTree(surface.points[covered]).query(points)
    return surface.in_file(covered[nearest]), np.asarray(distances)


def candidates_on(surface: Surface, exclude: BoolArray | IndexArray | Sequence[int]) -> BoolArray:
    """Mask of the vertices that may be picked: on the surface, and not excluded."""
    candidates = surface.covered()
    loose = int(np.count_nonzero(~candidates))
    if loose:
        warnings.warn(
            f"{surface.name} has {loose:,} vertices that belong to no triangle; "
            "no landmark is placed on them.",
            GplandmarkWarning,
            stacklevel=4,
        )
    excluded = np.asarray(exclude)
    if excluded.size:
        _check_excluded(excluded, surface)
        candidates[excluded_vertices(surface, excluded)] = False
    return candidates


def _check_excluded(excluded: BoolArray | IndexArray, surface: Surface) -> None:
    count = surface.file_vertex_count
    if excluded.dtype == bool:
        if excluded.shape not in ((count,), (surface.vertex_count,)):
            raise SettingsError(
                f"The mask of excluded vertices must have {count:,} entries, one per vertex of "
                f"{surface.name}, got shape {excluded.shape}."
            )
        return
    if not np.issubdtype(excluded.dtype, np.integer):
        raise SettingsError("Excluded vertices must be given as whole numbers or as a mask.")
    if excluded.min() < 0 or excluded.max() >= count:
        raise SettingsError(
            f"An excluded vertex does not exist: the vertices of {surface.name} are numbered "
            f"0 to {count - 1}."
        )
    if len(excluded) == count and excluded.max() == 1:
        raise SettingsError(
            "The excluded vertices look like a mask of zeros and ones, but are whole numbers. "
            "Give a mask as booleans, or the numbers of the vertices."
        )
