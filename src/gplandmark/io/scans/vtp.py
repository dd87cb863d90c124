# SPDX-License-Identifier: MIT
"""VTP, polydata of VTK in XML: ascii, base64 and appended data, plain or compressed."""

import re
import zlib
from binascii import a2b_base64
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from gplandmark.io.scans.content import (
    Content,
    DamagedError,
    check_fits,
    numbers_in_text,
    space_tag,
)
from gplandmark.io.scans.vtk import polydata
from gplandmark.numerics.arrays import FloatArray, IndexArray

KINDS = {
    "Int8": "i1", "UInt8": "u1", "Int16": "i2", "UInt16": "u2", "Int32": "i4", "UInt32": "u4",
    "Int64": "i8", "UInt64": "u8", "Float32": "f4", "Float64": "f8",
    "String": "u1",
}  # fmt: skip
APPENDED = re.compile(rb"<AppendedData[^>]*?encoding=\"(raw|base64)\"[^>]*>\s*_", re.IGNORECASE)
DENSEST = 1100  # zlib compresses at most 1,032 bytes into one


@dataclass(frozen=True)
class Encoding:
    """How arrays are written in this file."""

    order: str
    header: np.dtype[np.uint64] | np.dtype[np.uint32]
    compressed: bool
    appended: bytes
    appended_is_raw: bool


def read_vtp(content: bytes) -> Content:
    """Points, and the triangles of polygons and strips, of all pieces."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DamagedError("it defines its own XML entities, which a VTP file must not")
    tail = APPENDED.search(content)
    text = content if tail is None else content[: tail.start()] + b"</VTKFile>"
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise DamagedError(f"it is damaged or cut short: {error}") from None
    if root.tag != "VTKFile" or root.get("type") != "PolyData":
        raise DamagedError("it is not a VTK file of the type PolyData")
    encoding = _encoding(root, content, tail)
    pieces = [_piece(each, encoding) for each in root.iter("Piece")]
    points = np.concatenate([np.zeros((0, 3)), *(each.points for each in pieces)])
    before = np.cumsum([0, *(len(each.points) for each in pieces)])
    triangles = [each.triangles + start for each, start in zip(pieces, before, strict=False)]
    notes = tuple(note for each in pieces for note in each.notes)
    faces = np.concatenate([np.zeros((0, 3), dtype=np.int64), *triangles])
    return Content(points, faces, notes, system=_system(root, encoding))


def _system(root: ElementTree.Element, encoding: Encoding) -> str | None:
    """The value of the field SPACE; its letters are written as numbers, and 0 ends it."""
    field = root.find("PolyData/FieldData/Array[@Name='SPACE'][@type='String']")
    try:
        letters = [chr(int(code)) for code in _array(field, encoding)[:99] if 0 < code < 128]
    except (ValueError, zlib.error):
        return None  # points and faces are there, and no landmark needs this field
    return space_tag(f"SPACE={''.join(letters)}".encode())


def _encoding(root: ElementTree.Element, content: bytes, tail: re.Match[bytes] | None) -> Encoding:
    order = ">" if root.get("byte_order") == "BigEndian" else "<"
    compressor = root.get("compressor", "")
    if compressor not in ("", "vtkZLibDataCompressor"):
        raise DamagedError(
            f"its data are compressed by {compressor[:40]}, and only zlib can be read"
        )
    header = np.dtype(order + ("u8" if root.get("header_type") == "UInt64" else "u4"))
    appended = b"" if tail is None else content[tail.end() :]
    is_raw = tail is not None and tail.group(1).lower() == b"raw"
    return Encoding(order, header, bool(compressor), appended, is_raw)


def _piece(piece: ElementTree.Element, encoding: Encoding) -> Content:
    points = _array(piece.find("Points/DataArray"), encoding).reshape(-1, 3)
    if len(points) != int(piece.get("NumberOfPoints", len(points))):
        raise DamagedError(f"it declares other numbers of points than the {len(points):,} it has")
    return polydata(points, _lists(piece, "Polys", encoding), _lists(piece, "Strips", encoding))


def _lists(
    piece: ElementTree.Element, name: str, encoding: Encoding
) -> tuple[IndexArray, IndexArray]:
    arrays = {each.get("Name"): each for each in piece.findall(f"{name}/DataArray")}
    ends = _array(arrays.get("offsets"), encoding).astype(np.int64)
    corners = _array(arrays.get("connectivity"), encoding).astype(np.int64)
    sizes = np.diff(ends, prepend=0)
    if (sizes < 0).any() or sizes.sum() != len(corners):
        raise DamagedError("it is damaged or cut short: the offsets of its faces do not fit")
    if len(sizes) != int(piece.get(f"NumberOf{name}", len(sizes))):
        raise DamagedError(
            f"it declares other numbers of {name.lower()} than the {len(sizes):,} it has"
        )
    return sizes, corners


def _array(element: ElementTree.Element | None, encoding: Encoding) -> FloatArray:
    if element is None:
        return np.zeros(0)
    text = (element.text or "").strip().encode("ascii")
    match element.get("format", "ascii"):
        case "ascii":
            return numbers_in_text(text)
        case "binary":
            data = _decoded(text, encoding)
        case "appended":
            rest = encoding.appended[int(element.get("offset", "0")) :]
            data = (
                _decompressed(rest, encoding)
                if encoding.appended_is_raw
                else _decoded(rest, encoding)
            )
        case other:
            raise DamagedError(f"it has an array in the format '{other[:20]}'")
    kind = np.dtype(encoding.order + KINDS[element.get("type", "Float32")])
    return np.frombuffer(data, kind).astype(np.float64)


def _decoded(text: bytes, encoding: Encoding) -> bytes:
    """Bytes of base64; the header of compressed blocks is encoded separately."""
    text = text.partition(b"<")[0].rstrip()
    if not encoding.compressed:
        size = encoding.header.itemsize
        length = int(np.frombuffer(_base64(text, size), encoding.header, 1)[0])
        return _decompressed(_base64(text, size + length), encoding)
    blocks = int(np.frombuffer(_base64(text, 8), encoding.header, 1)[0])
    size = (3 + blocks) * encoding.header.itemsize
    header = _base64(text, size)
    sizes = np.frombuffer(header, encoding.header)
    return _decompressed(header + _base64(text[_length(size) :], int(sizes[3:].sum())), encoding)


def _length(count: int) -> int:
    """Length of base64 for so many bytes."""
    return 4 * ((count + 2) // 3)


def _base64(text: bytes, count: int) -> bytes:
    check_fits(_length(count), 1, len(text), "characters")
    return a2b_base64(text[: _length(count)])[:count]


def _decompressed(data: bytes, encoding: Encoding) -> bytes:
    """The data behind a header: their length, or lengths of compressed blocks."""
    size = encoding.header.itemsize
    first = int(np.frombuffer(data, encoding.header, 1)[0])
    if not encoding.compressed:
        check_fits(first, 1, len(data) - size, "bytes")
        return data[size : size + first]
    check_fits(first, size, len(data) - 3 * size, "blocks")
    lengths = np.frombuffer(data, encoding.header, 3 + first)[1:].tolist()
    place = size * (3 + first)
    missing = lengths[0] - lengths[1] if lengths[1] else 0  # of the last block, if it is shorter
    check_fits(first * lengths[0] - missing, 1, DENSEST * len(data), "bytes")
    parts = []
    for length in lengths[2:]:
        check_fits(length, 1, len(data) - place, "bytes")
        parts.append(zlib.decompressobj().decompress(data[place : place + length], lengths[0] + 1))
        place += length
    return b"".join(parts)
