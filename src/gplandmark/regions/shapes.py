# SPDX-License-Identifier: MIT
"""Regions cut out by a plane or a box, in the coordinates of the file."""

import numpy as np
import numpy.typing as npt

from gplandmark.arrays import BoolArray
from gplandmark.errors import SettingsError
from gplandmark.surface import Surface

__all__ = ["beyond_plane", "inside_box"]


def beyond_plane(surface: Surface, point: npt.ArrayLike, normal: npt.ArrayLike) -> BoolArray:
    """Tell which vertices lie on the side of a plane that its normal points to, shape (n,).

    Parameters
    ----------
    surface : in space
    point : (3,) any point of the plane, in units of the file
    normal : (3,) of any length

    Raises
    ------
    SettingsError
        The normal is zero, or a number is not finite.
    """
    point, normal = _vector(point, surface), _vector(normal, surface)
    length = np.linalg.norm(normal)
    if not length > 0:
        raise SettingsError("The normal of the plane is zero. Give a direction.")
    return np.asarray((surface.points - point) @ (normal / length) > 0)


def inside_box(surface: Surface, corner: npt.ArrayLike, opposite: npt.ArrayLike) -> BoolArray:
    """Tell which vertices lie in a box along the axes, its faces included, shape (n,).

    Parameters
    ----------
    surface : in space
    corner, opposite : (3,) two opposite corners in any order, in units of the file

    Raises
    ------
    SettingsError
        A number is not finite.
    """
    ends = np.stack([_vector(corner, surface), _vector(opposite, surface)])
    inside = (surface.points >= ends.min(axis=0)) & (surface.points <= ends.max(axis=0))
    return np.asarray(inside.all(axis=1))


def _vector(values: npt.ArrayLike, surface: Surface) -> npt.NDArray[np.float64]:
    vector = np.asarray(values, dtype=np.float64)
    dimension = surface.points.shape[1]
    if vector.shape != (dimension,) or not np.isfinite(vector).all():
        raise SettingsError(
            f"A plane or a box needs {dimension} finite numbers for each of its points, "
            f"got {np.array2string(vector, separator=', ')}."
        )
    return vector
