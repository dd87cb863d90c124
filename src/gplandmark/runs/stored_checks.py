# SPDX-License-Identifier: MIT
"""What stored values are like if our own runs made them.

A store may come from somebody else. Arrays of another shape, or numbers that no specimen has,
would end a computation much later, in the middle of it.
"""

import math
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from gplandmark.morphometrics.matching.deformation import Deformation
from gplandmark.morphometrics.matching.points import LEVELS, OrientedPoints, SampledSurface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.runs.entry_checks import is_facts

LARGEST = 1e12  # of coordinates and coefficients in units of the size of a specimen


def has_type(value: Any, hint: Any) -> bool:
    """Whether a value, and what a tuple, list or mapping holds, has the type of an annotation."""
    if hint is Any:
        return True
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(has_type(value, each) for each in parts)
    if kind is float:
        return isinstance(value, (float, int)) and _is_number(value)
    if not isinstance(kind, type):
        return True
    return isinstance(value, kind) and _holds(value, parts)


def _is_number(value: float) -> bool:
    """Whether NumPy can compute with it; infinity means that there is none."""
    return abs(value) == math.inf or abs(value) < 2.0**1023


def _holds(value: Any, parts: tuple[Any, ...]) -> bool:
    """Whether the members of a container have the types in the brackets of its annotation."""
    if isinstance(value, tuple) and parts:
        expected = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(expected) and all(map(has_type, value, expected))
    if isinstance(value, list) and parts:
        return all(has_type(each, parts[0]) for each in value)
    if isinstance(value, Mapping) and parts:
        return all(has_type(each, parts[1]) for each in value.values())
    return True


def is_sound(value: Any) -> bool:
    """Whether arrays of a dataclass fit together, and its numbers are those of a specimen."""
    match value:
        case Pose():
            turns = _is_table(value.rotation, 3, 3) and _is_table(value.shift, 3)
            return turns and 0 < value.scale <= LARGEST
        case Deformation():
            count = len(value.centres)
            return _is_table(value.centres, count, 3) and _is_table(value.coefficients, count, 3)
        case OrientedPoints():
            return _is_sound_level(value)
        case SampledSurface():
            return _is_sound_specimen(value)
        case _:
            return is_facts(getattr(value, "facts", {}))


def _is_sound_level(level: OrientedPoints) -> bool:
    count = len(level.positions)
    vectors = (level.positions, level.normals)
    return (
        count > 0
        and all(_is_table(each, count, 3) for each in vectors)
        and _is_table(level.form, count, level.form.shape[-1])
        and _is_table(level.weights, count)
    )


def _is_sound_specimen(specimen: SampledSurface) -> bool:
    return (
        len(specimen.levels) == len(LEVELS)
        and specimen.surface.triangles is not None
        and all(0 < each < math.inf for each in (specimen.size, specimen.root_area))
        and 0 < specimen.share <= 1
        and specimen.centre.shape == (3,)
        and _is_table(specimen.in_unit(specimen.surface.points), specimen.surface.vertex_count, 3)
    )


def _is_table(array: Any, *shape: int) -> bool:
    """Whether this is an array of that shape, of numbers that are not too large."""
    return (
        array.shape == shape and array.dtype.kind == "f" and bool((np.abs(array) <= LARGEST).all())
    )
