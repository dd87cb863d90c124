# SPDX-License-Identifier: MIT
"""Regions that a person painted onto the vertices, or that a program wrote as a property."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray

__all__ = ["COLOURS", "TOLERANCE", "painted"]

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
    near = np.abs(channels.astype(float) * scale - wanted) <= TOLERANCE
    return np.asarray(near.all(axis=1))


def _property(
    surface: Surface, properties: Mapping[str, npt.NDArray[Any]], name: str
) -> npt.NDArray[Any]:
    if name not in properties:
        known = ", ".join(properties) or "none"
        if name in CHANNELS:
            raise SettingsError(
                f"{surface.name} has no vertex colours. Its vertices have: {known}."
            )
        raise SettingsError(
            f"The vertices of {surface.name} have no property '{name}'. They have: {known}."
        )
    return properties[name]
