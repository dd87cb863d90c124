# SPDX-License-Identifier: MIT
"""STL: ascii and binary, any number of solids; corners are welded where they are equal."""

import re

import numpy as np

from gplandmark.io.scans.content import (
    MARK,
    Content,
    DamagedError,
    check_fits,
    number_table,
    space_tag,
)
from gplandmark.numerics.arrays import FloatArray, IndexArray

WELDED = "STL has no vertex numbers: vertices of the welded surface, in order of appearance, from 0"

HEAD = 84  # bytes before the triangles of a binary file, the last four their number
LINE = 1024  # bytes that hold the name of a solid
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
SOLID = re.compile(rb"(?:%s)?\s*solid" % MARK, re.IGNORECASE)
INSIDE = re.compile(rb"[\r\n][ \t]*(?:facet|endsolid)\b", re.IGNORECASE)
FACET = re.compile(rb"^[ \t]*facet\b", re.MULTILINE | re.IGNORECASE)
END = re.compile(rb"^[ \t]*end[ \t]*solid\b", re.MULTILINE | re.IGNORECASE)
TAIL = 65_536  # bytes that hold the last facet and the end of its solid


def read_stl(content: bytes) -> Content:
    """Points and triangles of all solids, welded."""
    if not looks_binary(content) and _looks_ascii(content):
        corners, header = _ascii(content), content.lstrip()[:LINE].splitlines()[0]
    else:
        corners, header = _binary(content), content[: HEAD - 4]
    return Content(*weld(corners), numbering=WELDED, system=space_tag(header))


def looks_binary(content: bytes) -> bool:
    """Tell whether the length fits the number of triangles, as in no text of less than 7 GB.

    A file with more bytes behind its triangles must have a zero among its first bytes, as text
    has not.
    """
    due = HEAD + _count(content) * TRIANGLE.itemsize
    return len(content) == due or (len(content) > due > HEAD and b"\0" in content[:HEAD])


def _count(content: bytes) -> int:
    return int.from_bytes(content[HEAD - 4 : HEAD], "little")


def _looks_ascii(content: bytes) -> bool:
    """Binary files may begin with "solid" too, but no facets follow."""
    return SOLID.match(content) is not None and INSIDE.search(content) is not None


def _ascii(content: bytes) -> FloatArray:
    content = content.replace(b"\r", b"\n")
    corners = np.ascontiguousarray(number_table(VERTEX.findall(content), 3))
    facets = len(FACET.findall(content))
    if len(corners) != 3 * facets:
        raise DamagedError(
            f"it is damaged or cut short: {facets:,} facets have {len(corners):,} corners"
        )
    tail = content[-TAIL:]
    last = max((found.end() for found in VERTEX.finditer(tail)), default=0)
    if facets and not END.search(tail, last):
        raise DamagedError(
            f"it is cut short: after {facets:,} facets the line 'endsolid' is missing"
        )
    return corners


def _binary(content: bytes) -> FloatArray:
    if len(content) < HEAD:
        raise DamagedError("it does not begin like an STL file")
    count = _count(content)
    check_fits(count, TRIANGLE.itemsize, len(content) - HEAD, "triangles")
    rows = np.frombuffer(content, TRIANGLE, count, HEAD)
    return rows["corners"].astype(np.float64).reshape(-1, 3)


def weld(corners: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Merge points with exactly equal coordinates, numbered in order of first appearance.

    Corners that are not numbers stay apart.
    """
    if len(corners) == 0:
        return corners, np.zeros((0, 3), dtype=np.int64)
    _, first, inverse = np.unique(corners + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.zeros_like(order)
    number[order] = np.arange(len(order))
    return corners[first[order]], number[inverse.reshape(-1)].reshape(-1, 3)
