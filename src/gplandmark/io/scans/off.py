# SPDX-License-Identifier: MIT
"""OFF: with comments, normals, colours and texture coordinates, faces of any size."""

import re

import numpy as np

from gplandmark.io.scans.content import (
    Content,
    DamagedError,
    check_fits,
    number_table,
    numbers_in_text,
    with_standard_nan,
)
from gplandmark.io.scans.polygons import faces_alike, triangulated
from gplandmark.numerics.arrays import FloatArray, IndexArray

HEADER = re.compile(rb"\s*(?:(ST)?(C)?(N)?(4)?(n)?OFF)?\s*(\d+)\s+(\d+)(?:[ \t]+\d+)?")
COMMENT = re.compile(rb"#[^\r\n]*")


def read_off(content: bytes) -> Content:
    """Points and triangles; faces may be followed by colours."""
    content = COMMENT.sub(b"", with_standard_nan(content))
    header = HEADER.match(content)
    if header is None or header.group(4) or header.group(5):
        raise DamagedError("it does not begin with the header of an OFF file in space")
    vertices, faces = int(header.group(6)), int(header.group(7))
    body = content[header.end() :]
    check_fits(vertices, 6, len(body) + 1, "vertices")
    check_fits(faces, 2, len(body) + 1, "faces")
    beside = 2 * bool(header.group(1)) + 3 * bool(header.group(2)) + 3 * bool(header.group(3))
    plain = None if beside else _plain(body, vertices, faces)
    points, sizes, corners = plain or _by_lines(body, vertices, faces, 3 + beside)
    return Content(points, *triangulated(points, sizes, corners))


def _plain(
    body: bytes, vertices: int, faces: int
) -> tuple[FloatArray, IndexArray, IndexArray] | None:
    """Read a file of nothing but coordinates and faces of one size, whatever its lines."""
    flat = numbers_in_text(body)
    if len(flat) < 3 * vertices:
        raise DamagedError(_short(vertices, faces, len(flat) // 3, 0))
    alike = faces_alike(flat[3 * vertices :], faces)
    return alike and (flat[: 3 * vertices].reshape(-1, 3), *alike)


def _by_lines(
    body: bytes, vertices: int, faces: int, columns: int
) -> tuple[FloatArray, IndexArray, IndexArray]:
    lines = [line for line in re.split(rb"[\r\n]+", body) if line.strip()]
    if len(lines) < vertices + faces:
        raise DamagedError(
            _short(vertices, faces, min(len(lines), vertices), max(len(lines) - vertices, 0))
        )
    points = number_table(lines[:vertices], columns)[:, :3]
    rows = [line.split() for line in lines[vertices : vertices + faces]]
    sizes = np.array([int(row[0]) for row in rows], dtype=np.int64)
    if any(size < 0 or len(row) <= size for size, row in zip(sizes, rows, strict=True)):
        raise DamagedError("it is damaged or cut short: a line has fewer corners than it declares")
    corners = [
        int(each) for size, row in zip(sizes, rows, strict=True) for each in row[1 : 1 + size]
    ]
    return np.ascontiguousarray(points), sizes, np.array(corners, dtype=np.int64)


def _short(vertices: int, faces: int, vertices_read: int, faces_read: int) -> str:
    return (
        f"it is damaged or cut short: its header declares {vertices:,} vertices and {faces:,} "
        f"faces, but {vertices_read:,} and {faces_read:,} could be read"
    )
