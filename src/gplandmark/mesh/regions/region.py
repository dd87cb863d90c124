# SPDX-License-Identifier: MIT
"""A region with its parameters for the record, and regions by a plane, a box or the rim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.errors import SettingsError
from gplandmark.mesh.geodesics import rim_distances
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray

__all__ = ["Region", "allowed_by", "beyond_plane", "inside_box", "near_rim"]


@dataclass(frozen=True, eq=False)
class Region:
    """Vertices that are kept free of landmarks, or the only ones that may have any.

    Attributes
    ----------
    mask : (n,) the vertices that lie in the region
    name : what kind of region it is, e.g. "rim"
    asked : its parameters, plain numbers and texts
    is_kept : True where landmarks go into the region only, False where they stay out of it
    """

    mask: BoolArray
    name: str
    asked: Mapping[str, Any] = field(default_factory=dict)
    is_kept: bool = False

    def allows(self) -> BoolArray:
        """Return which vertices the region leaves for landmarks, shape (n,)."""
        return self.mask if self.is_kept else ~self.mask

    def describe(self) -> dict[str, Any]:
        """Return the parameters, and how many vertices lie in the region."""
        use = "only" if self.is_kept else "exclude"
        return {use: self.name, **self.asked, "vertices": int(np.count_nonzero(self.mask))}


def allowed_by(surface: Surface, regions: Sequence[Region]) -> BoolArray:
    """Return which vertices every region allows, shape (n,).

    Raises
    ------
    SettingsError
        A mask does not have one entry per vertex.
    """
    allowed = np.ones(surface.vertex_count, dtype=bool)
    for region in regions:
        if region.mask.shape != allowed.shape or region.mask.dtype != bool:
            raise SettingsError(
                f"The region '{region.name}' must be a mask of {surface.vertex_count:,} booleans, "
                f"one per vertex of {surface.name}, got {region.mask.dtype} of shape "
                f"{region.mask.shape}."
            )
        allowed &= region.allows()
    return allowed


def beyond_plane(surface: Surface, point: npt.ArrayLike, normal: npt.ArrayLike) -> BoolArray:
    """Return which vertices lie on the side of a plane that its normal points to, shape (n,).

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
    """Return which vertices lie in a box along the axes, its faces included, shape (n,).

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


def near_rim(surface: Surface, distance: float) -> BoolArray:
    """Return which vertices are at most a distance from the open rim, shape (n,).

    Parameters
    ----------
    surface : with triangles; on a closed one no vertex is near the rim
    distance : along the surface, in units of the file; 0 for the rim itself

    Raises
    ------
    SettingsError
        The distance is negative or not finite.
    """
    if not (distance >= 0 and np.isfinite(distance)):
        raise SettingsError(f"The distance from the rim must be 0 or more, got {distance}.")
    return np.asarray(rim_distances(surface, distance) <= distance)


def _vector(values: npt.ArrayLike, surface: Surface) -> npt.NDArray[np.float64]:
    vector = np.asarray(values, dtype=np.float64)
    dimension = surface.points.shape[1]
    if vector.shape != (dimension,) or not np.isfinite(vector).all():
        raise SettingsError(
            f"A plane or a box needs {dimension} finite numbers for each of its points, "
            f"got {np.array2string(vector, separator=', ')}."
        )
    return vector
