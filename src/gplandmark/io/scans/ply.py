# SPDX-License-Identifier: MIT
"""PLY: read as ascii and binary, with polygons and triangle strips; written as binary."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.io.scans.content import (
    MARK,
    Content,
    DamagedError,
    check_fits,
    numbers_in_text,
    space_tag,
)
from gplandmark.io.scans.ply_rows import Columns, Element, Property, columns_to_rows, take_rows
from gplandmark.io.scans.polygons import strip_triangles, triangulated
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray

KINDS = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8", "int64": "i8", "uint64": "u8",
}  # fmt: skip
ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
BEGIN = re.compile(rb"(?:%s)?ply[^\r\n]*(\r\n|\n|\r)" % MARK)
END = re.compile(rb"(?<=[\r\n])[ \t]*end_header[ \t]*(\r\n|\n|\r)")
HEADER = 1_048_576  # bytes that hold any header

Header = tuple[str, list[Element], int]  # byte order, elements, and where they begin


def read_ply(content: bytes | memoryview) -> Content:
    """Points, and the triangles of faces and strips."""
    header = _header(content)
    found = _elements(content, header)
    if not {"x", "y", "z"} <= found.get("vertex", {}).keys():
        raise DamagedError("it has no vertices with x, y and z")
    points = columns_to_rows([found["vertex"][axis][1] for axis in "xyz"], np.float64)
    triangles, notes = _triangles(found, points)
    return Content(points, triangles, notes, system=space_tag(bytes(content[: header[2]])))


def ply_vertex_properties(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Numbers of the vertices by name, each of shape (n,), without lists."""
    header = _header(content)
    integers = {
        each.name
        for element in header[1]
        for each in element.properties
        if element.name == "vertex" and each.is_integer
    }
    found = _elements(content, header).get("vertex", {})
    return {
        name: values.astype(np.int64) if name in integers and np.isfinite(values).all() else values
        for name, (lengths, values) in found.items()
        if lengths is None
    }


def _elements(content: bytes | memoryview, header: Header) -> dict[str, Columns]:
    order, elements, place = header
    if order == "":
        return _text_columns(bytes(content[place:]), elements)
    return _columns(content, place, elements)[0]


def _columns(
    body: bytes | memoryview, place: int, elements: list[Element]
) -> tuple[dict[str, Columns], int]:
    found: dict[str, Columns] = {}
    for element in elements:
        found[element.name], place = take_rows(body, place, element)
    return found, place


def _text_columns(text: bytes, elements: list[Element]) -> dict[str, Columns]:
    """Text becomes bytes, all its numbers of one kind; lines may hold more than the header says."""
    try:
        body = numbers_in_text(text).tobytes()
        found, place = _columns(body, 0, elements)
        if place == len(body):
            return found
    except DamagedError:
        pass
    return _columns(numbers_in_text(_shortened(text, elements)).tobytes(), 0, elements)[0]


def _shortened(text: bytes, elements: list[Element]) -> bytes:
    """Cut every line to what its element asks for."""
    lines = (line.split() for line in re.split(rb"[\r\n]+", text) if line.strip())
    kept: list[bytes] = []
    for element in elements:
        check_fits(element.count, 1, len(text), f"rows of {element.name}")
        for _, words in zip(range(element.count), lines, strict=False):
            end = 0
            for each in element.properties:
                end += 1 if each.length is None else 1 + int(words[end])
            kept += words[:end]
    return b" ".join(kept)


def _header(content: bytes | memoryview) -> Header:
    content = bytes(content[:HEADER])
    begin, end = BEGIN.match(content), END.search(content)
    if begin is None or end is None:
        raise DamagedError("it does not begin with the header of a PLY file")
    order = None
    elements: list[Element] = []
    for line in re.split(r"[\r\n]+", content[: end.start()].decode("latin-1"))[1:]:
        match line.split():
            case ["format", name, *_] if name in ORDERS:
                order = ORDERS[name]
            case ["element", name, count] if count.isdecimal():
                elements.append(Element(name, int(count)))
            case ["property", *words] if order is not None and elements:
                new = _property(words, order, line)
                elements[-1] = replace(elements[-1], properties=(*elements[-1].properties, new))
            case ["comment" | "obj_info", *_] | []:
                pass
            case _:
                raise DamagedError(f"its header has the line '{line[:40]}'")
    if order is None:
        raise DamagedError("its header names no format")
    # Where lines end with \r alone, a \n behind the last one is the first byte of the data.
    return order, elements, end.start(1) + 1 if begin[1] == b"\r" else end.end()


def _property(words: list[str], order: str, line: str) -> Property:
    match words:
        case ["list", length, kind, name] if length in KINDS and kind in KINDS:
            return Property(name, _kind(kind, order), _kind(length, order))
        case [kind, name] if kind in KINDS:
            return Property(name, _kind(kind, order), is_integer=KINDS[kind][0] != "f")
    raise DamagedError(f"its header has the line '{line[:40]}'")


def _kind(name: str, order: str) -> str:
    return order + KINDS[name] if order else "f8"


def _triangles(found: dict[str, Columns], points: FloatArray) -> tuple[IndexArray, tuple[str, ...]]:
    faces, notes = triangulated(points, *_lists(found.get("face", {})))
    if "tristrips" not in found:
        return faces, notes
    sizes, corners = _lists(found["tristrips"])
    strips = strip_triangles(np.insert(corners, np.cumsum(sizes), -1), len(points))
    return np.concatenate([faces, strips]), notes


def _lists(columns: Columns) -> tuple[IndexArray, IndexArray]:
    """Lengths and values of the vertex numbers: by name, or else of the first list there is."""
    lists = {name: each for name, each in columns.items() if each[0] is not None}
    for name in ("vertex_indices", "vertex_index", *lists):
        lengths, values = lists.get(name, (None, None))
        if lengths is not None and values is not None:
            many = values.ndim == 2 and len(values) > values.shape[1] > 0
            values = columns_to_rows(values.T, np.int64) if many else values.astype(np.int64)
            return lengths, values.reshape(-1)
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


def as_ply(surface: Surface) -> bytes:
    """Content of a binary PLY file in double precision, so that no digit is lost.

    The coordinate system, if the surface states one, is a comment, as 3D Slicer writes it.
    """
    triangles = surface.faces()
    system = f"comment SPACE={surface.system}\n" if surface.system else ""
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"comment {' '.join(surface.name.split())}, generated by gplandmark\n{system}"
        f"element vertex {surface.vertex_count}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.zeros(len(triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"] = 3
    faces["corners"] = triangles
    return (
        header.encode("utf-8", "replace") + surface.points.astype("<f8").tobytes() + faces.tobytes()
    )
