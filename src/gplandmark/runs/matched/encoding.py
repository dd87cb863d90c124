# SPDX-License-Identifier: MIT
"""Results as bytes: plain values, arrays and a few dataclasses, and nothing that could run.

A header in JSON has the shape of the value; the contents of arrays follow it. Folders of results
are passed around, so that reading one must never do more than make what `CLASSES` lists.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.mesh.surface import Numbers, Source, Surface
from gplandmark.morphometrics.matching.deformation import Deformation
from gplandmark.morphometrics.matching.points import Points, Sampled
from gplandmark.morphometrics.matching.pose import Pose
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.runs.matched.carry_job import Landed
from gplandmark.runs.matched.scan import Ready

__all__ = ["decoded", "encoded"]

CLASSES: Mapping[str, Any] = {
    each.__name__: each
    for each in (
        Alignment, Deformation, Landed, Landmarks, Numbers, Points, Pose, Ready, Record, Sampled,
        Source, Surface,
    )
}  # fmt: skip
KINDS = "biuf"  # of arrays: truth values, integers, floats
LENGTH = 8  # bytes that tell the length of the header


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
    name = type(value).__name__
    if not is_dataclass(value) or CLASSES.get(name) is not type(value):
        raise TypeError(f"A result cannot hold a {name}.")
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    return [name, {part: _outline(each, contents) for part, each in parts.items()}]


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
        return parts if kind == "map" else CLASSES[kind](**parts)

    def array(self, code: str, shape: list[int]) -> Any:
        dtype = np.dtype(code)
        if dtype.kind not in KINDS or min(shape, default=0) < 0:
            raise ValueError(f"An array of kind {code} and shape {shape} is none of ours.")
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return np.frombuffer(self.take(size), dtype).reshape(shape).copy()

    def take(self, size: int) -> memoryview:
        part = self.contents[self.at : self.at + size]
        if len(part) < size:
            raise ValueError("The contents end too early.")
        self.at += size
        return part
