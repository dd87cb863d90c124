# SPDX-License-Identifier: MIT
"""Regions of a surface: where landmarks may be placed, and where not.

Functions return a mask, one boolean per vertex, so that ``|``, ``&`` and ``~`` combine them: by a
plane, a box, the distance from the rim, visibility, or colours painted onto the vertices.
A `Region` is a mask with its name and parameters, for the record.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.geodesics import rim_distances
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.visibility import visible_from_outside as visible_from_outside
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray


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
    if not isinstance(regions, Sequence):
        raise SettingsError(f"Expected a list of regions, got {type(regions).__name__}.")
    for region in regions:
        instance(region, Region, "Use what makes regions in gplandmark.mesh.regions.")
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

    `point` (3,) is any point of the plane, in units of the file; `normal` (3,) has any length.

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

    Its two opposite corners (3,) come in any order, in units of the file.

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

    It is measured along the surface, in units of the file; 0 is the rim itself. On a closed surface
    no vertex is near the rim.

    Raises
    ------
    SettingsError
        The distance is negative or not finite.
    """
    if not (distance >= 0 and np.isfinite(distance)):
        raise SettingsError(f"The distance from the rim must be 0 or more, got {distance}.")
    return np.asarray(rim_distances(surface, distance) <= distance)


def _vector(values: npt.ArrayLike, surface: Surface) -> FloatArray:
    vector = np.asarray(values, dtype=np.float64)
    dimension = surface.points.shape[1]
    if vector.shape != (dimension,) or not np.isfinite(vector).all():
        raise SettingsError(
            f"A plane or a box needs {dimension} finite numbers for each of its points, "
            f"got {np.array2string(vector, separator=', ')}."
        )
    return vector


COLOURS = {
    "black": "#000000", "blue": "#0000ff", "cyan": "#00ffff", "green": "#00ff00",
    "magenta": "#ff00ff", "red": "#ff0000", "white": "#ffffff", "yellow": "#ffff00",
}  # fmt: skip
TOLERANCE = 32  # of 255, in each channel: brushes and exporters round and blend

CHANNELS = ("red", "green", "blue")
DIFFUSE = ("diffuse_red", "diffuse_green", "diffuse_blue")  # older exporters
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "=": operator.eq, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
COLOUR = re.compile(r"#[0-9a-f]{6}")
CONDITION = re.compile(r"\s*([^<>=\s]+)\s*(<=|>=|=|<|>)\s*(\S+)\s*")


def painted(surface: Surface, properties: Mapping[str, npt.NDArray[Any]], what: str) -> BoolArray:
    """Return which vertices have a colour, or a property in a range, shape (n,).

    Parameters
    ----------
    surface : whose vertices the properties belong to
    properties : by name, one entry per vertex of the file each, those included that cleaning left
        out, as `gplandmark.io.scans.read` reads them
    what : a colour, e.g. "red" or "#ff0000", matched within 32 of 255 in each channel; or a
        condition, e.g. "label=3" or "quality>0.5" (with =, <, <=, > or >=)

    Raises
    ------
    SettingsError
        The text is neither a colour nor a condition, there is no such property, or the file
        has another number of vertices than that of the surface.
    """
    for values in properties.values():
        if len(values) != surface.file_vertex_count:
            raise SettingsError(
                f"The file has {len(values):,} vertices, but {surface.name} has "
                f"{surface.file_vertex_count:,}. Paint the scan that landmarks are placed on."
            )
    colour = COLOURS.get(what.strip().lower(), what.strip().lower())
    if COLOUR.fullmatch(colour):
        return surface.from_file(_coloured(surface, properties, colour))
    condition = CONDITION.fullmatch(what)
    if condition is None:
        raise SettingsError(
            f"'{what}' is neither a colour ({', '.join(COLOURS)} or #rrggbb) nor a condition "
            "such as 'label=3' or 'quality>0.5'."
        )
    name, comparison, text = condition.groups()
    values = _property(surface, properties, name)
    try:
        value = float(text)
    except ValueError:
        raise SettingsError(f"'{what}': '{text}' is not a number.") from None
    # 0.1 in the file is 0.1 of the file's precision.
    bound = np.float32(value) if values.dtype.itemsize == 4 and values.dtype.kind == "f" else value
    return surface.from_file(np.asarray(COMPARISONS[comparison](values, bound), dtype=bool))


def _coloured(
    surface: Surface, properties: Mapping[str, npt.NDArray[Any]], colour: str
) -> BoolArray:
    names = DIFFUSE if set(DIFFUSE) <= set(properties) and "red" not in properties else CHANNELS
    channels = np.stack([_property(surface, properties, name) for name in names], axis=1)
    wanted = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)], dtype=float)
    # Some programs write colours as floats from 0 to 1.
    scale = 255.0 if channels.dtype.kind == "f" and channels.max() <= 1 else 1.0
    return np.asarray((np.abs(channels.astype(float) * scale - wanted) <= TOLERANCE).all(axis=1))


def _property(
    surface: Surface, properties: Mapping[str, npt.NDArray[Any]], name: str
) -> npt.NDArray[Any]:
    if name not in properties:
        known = ", ".join(properties) or "none"
        missing = f"The vertices of {surface.name} have no property '{name}'. They have"
        if name in CHANNELS:
            missing = f"{surface.name} has no vertex colours. Its vertices have"
        raise SettingsError(f"{missing}: {known}.")
    return properties[name]
