# SPDX-License-Identifier: MIT
"""Between the vertex numbers of a file, which users know, and the vertices of its surface."""

from collections.abc import Sequence

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import SettingsError
from gplandmark.surface import Surface

__all__ = ["excluded_vertices", "starting_vertices", "weight_per_vertex"]


def starting_vertices(surface: Surface, start: Sequence[int] | IndexArray) -> IndexArray:
    """Vertices of the surface for numbers of the file.

    Raises
    ------
    SettingsError
        A number is not one of the file, or its vertex was left out when the scan was cleaned.
    """
    vertices = surface.vertices_of(start)
    if (vertices < 0).any():
        missing = np.asarray(start)[np.argmin(vertices)]
        raise SettingsError(
            f"The starting landmark at vertex {missing} lies on a part of {surface.name} that was "
            "left out when the scan was cleaned. Keep all its components, or leave it out."
        )
    return vertices


def excluded_vertices(
    surface: Surface, exclude: BoolArray | IndexArray | Sequence[int]
) -> BoolArray | IndexArray:
    """Vertices of the surface for numbers of the file, or for a mask of either.

    Raises
    ------
    SettingsError
        A number is not one of the file, or the mask has another length.
    """
    excluded = np.asarray(exclude)
    if excluded.dtype == bool:
        return surface.from_file(excluded)
    if surface.numbers is None or not np.issubdtype(excluded.dtype, np.integer):
        return excluded
    vertices = surface.vertices_of(excluded)
    return vertices[vertices >= 0]


def weight_per_vertex(surface: Surface, weight: FloatArray | None) -> FloatArray | None:
    """One weight per vertex of the surface, from one per vertex of it or of the file."""
    return None if weight is None else surface.from_file(np.asarray(weight))
