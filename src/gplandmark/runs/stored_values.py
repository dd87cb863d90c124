# SPDX-License-Identifier: MIT
"""Results as bytes: plain values, arrays and a few dataclasses, and nothing that could run.

A header in JSON has the shape of the value; the contents of arrays follow it. Folders of results
are passed around, so that reading one must never do more than make what `CLASSES` lists.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, get_type_hints

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.mesh.surface import Numbers, Source, Surface
from gplandmark.morphometrics.matching.deformation import Deformation
from gplandmark.morphometrics.matching.points import OrientedPoints, SampledSurface
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.runs.stored_checks import has_type, is_sound

Class = TypeVar("Class", bound=type)

# Names in files stay what they are when a class is renamed here.
CLASSES: dict[str, type] = {
    "Alignment": Alignment,
    "Deformation": Deformation,
    "Landmarks": Landmarks,
    "Numbers": Numbers,
    "Points": OrientedPoints,
    "Pose": Pose,
    "Record": Record,
    "Sampled": SampledSurface,
    "Source": Source,
    "Surface": Surface,
}
KINDS = "biuf"  # of arrays: truth values, integers, floats
LENGTH = 8  # bytes for the length of the header


def storable(name: str) -> Callable[[Class], Class]:
    """Return a decorator that lets a store keep a dataclass, under a name in its files."""

    def register(kind: Class) -> Class:
        CLASSES[name] = kind
        return kind

    return register


def encoded(value: Any) -> bytes:
    """Return a value as bytes, which `decoded` takes.

    Raises
    ------
    TypeError
        It holds something else than plain values, arrays of numbers and `CLASSES`.
    """
    contents: list[bytes] = []
    header = json.dumps(_outline(value, contents)).encode()
    return len(header).to_bytes(LENGTH, "little") + header + b"".join(contents)


def decoded(content: bytes) -> Any:
    """Return the value that bytes stand for.

    Raises
    ------
    ValueError, TypeError, KeyError
        They do not come from `encoded`.
    """
    length = int.from_bytes(content[:LENGTH], "little")
    start = LENGTH + length
    outline = json.loads(content[LENGTH:start])
    return _Reader(memoryview(content)[start:]).value(outline)


def _outline(value: Any, contents: list[bytes]) -> Any:
    """The value as JSON: plain ones as they are, all others as a list that begins with a kind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        contents.append(value)
        return ["bytes", len(value)]
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        contents.append(value.tobytes())
        return ["array", value.dtype.str, list(value.shape)]
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, [_outline(each, contents) for each in value]]
    if isinstance(value, Mapping):
        return ["map", {str(name): _outline(each, contents) for name, each in value.items()}]
    name = next((name for name, kind in CLASSES.items() if kind is type(value)), None)
    if name is None:
        raise TypeError(f"A result cannot hold a {type(value).__name__}.")
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    return [name, {part: _outline(each, contents) for part, each in parts.items()}]


_hints = cache(get_type_hints)  # the same few classes are made thousands of times


def _made(kind: type, parts: dict[str, Any]) -> Any:
    """Make a dataclass of parts that have the types of its fields, and fit together."""
    for name, hint in _hints(kind).items():
        if name in parts and not has_type(parts[name], hint):
            raise TypeError(f"{kind.__name__}.{name} cannot be a {type(parts[name]).__name__}.")
    made = kind(**parts)
    if not is_sound(made):
        raise ValueError(f"No run of ours makes such a {kind.__name__}.")
    return made


class _Reader:
    """Reads the contents in the order in which they were written."""

    def __init__(self, contents: memoryview) -> None:
        self.contents = contents
        self.at = 0

    def value(self, outline: Any) -> Any:
        if not isinstance(outline, list):
            return outline
        kind, *rest = outline
        if kind == "bytes":
            return bytes(self.take(int(rest[0])))
        if kind == "array":
            return self.array(*rest)
        if kind in ("tuple", "list"):
            values = [self.value(each) for each in rest[0]]
            return tuple(values) if kind == "tuple" else values
        parts = {str(name): self.value(each) for name, each in rest[0].items()}
        return parts if kind == "map" else _made(CLASSES[kind], parts)

    def array(self, code: str, shape: list[int]) -> Any:
        dtype = np.dtype(code)
        if dtype.kind not in KINDS or min(shape, default=0) < 0:
            raise ValueError(f"An array of kind {code} and shape {shape} is none of ours.")
        size = math.prod(shape) * dtype.itemsize
        return np.frombuffer(self.take(size), dtype).reshape(shape).copy()

    def take(self, size: int) -> memoryview:
        part = self.contents[self.at : self.at + size]
        if len(part) < size:
            raise ValueError("The contents end too early.")
        self.at += size
        return part
