# SPDX-License-Identifier: MIT
"""OBJ: vertices and faces of all objects and groups, in the order of the file.

Materials, texture coordinates, normals, groups and objects make other readers split and renumber
vertices; a landmark's number must be the number in the file.
"""

import re

import numpy as np

from gplandmark.io.scans.content import (
    Content,
    DamagedError,
    number_table,
    space_tag,
    with_standard_nan,
)
from gplandmark.io.scans.polygons import triangulated
from gplandmark.numerics.arrays import IndexArray

VERTEX_OR_FACE = re.compile(rb"^[ \t]*(v|f)[ \t]+([^\r\n#]*)", re.MULTILINE)
AFTER_SLASH = re.compile(rb"/[^ \t]*")
CONTINUED = re.compile(rb"\\(?:\r\n|\r|\n)")
FIRST_COMMENTS = re.compile(rb"\s*(?:#[^\r\n]*\s*)*")


def read_obj(content: bytes) -> Content:
    """Points and triangles; numbers below zero count back from the vertex read last."""
    joined = CONTINUED.sub(b" ", with_standard_nan(content))  # while each line still has one end
    lines = VERTEX_OR_FACE.findall(joined.replace(b"\r", b"\n"))
    points = np.ascontiguousarray(number_table([rest for kind, rest in lines if kind == b"v"], 3))
    faces = [AFTER_SLASH.sub(b"", rest).split() for kind, rest in lines if kind == b"f"]
    sizes = np.array([len(face) for face in faces], dtype=np.int64)
    try:
        corners = np.array([int(each) for face in faces for each in face], dtype=np.int64)
    except (ValueError, OverflowError):
        raise DamagedError("a face names its corners by something other than integers") from None
    if (corners < 0).any():
        is_vertex = np.array([kind == b"v" for kind, _ in lines])
        before = np.cumsum(is_vertex)[~is_vertex]  # vertices above each face
        corners = np.where(corners < 0, np.repeat(before, sizes) + 1 + corners, corners)
    comments = FIRST_COMMENTS.match(content)
    system = comments and space_tag(comments.group())
    return Content(points, *triangulated(points, sizes, _from_zero(corners)), system=system)


def _from_zero(corners: IndexArray) -> IndexArray:
    if (corners == 0).any():
        raise DamagedError("a face names vertex 0, but OBJ files count from 1")
    return corners - 1
