# SPDX-License-Identifier: MIT
"""Keeping vertex numbers honest in the two formats where a parser would lose them."""

import re

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray

__all__ = ["plain_obj", "weld"]

VERTEX_OR_FACE = re.compile(rb"^[ \t]*(v|f)([ \t][^\r\n]*)", re.MULTILINE)
AFTER_SLASH = re.compile(rb"/[^ \t\r\n]*")
CONTINUED = re.compile(rb"\\\r?\n")


def plain_obj(content: bytes) -> bytes:
    """Reduce an OBJ file to its vertices and the vertex numbers of its faces.

    Materials, texture coordinates, groups and objects make parsers split and renumber
    vertices; a landmark's number must be the number in the file. Negative numbers count
    back from the vertex read last and are made absolute.
    """
    lines = [
        kind + AFTER_SLASH.sub(b"", rest) if kind == b"f" else kind + rest
        for kind, rest in VERTEX_OR_FACE.findall(CONTINUED.sub(b" ", content))
    ]
    if any(line.startswith(b"f") and b"-" in line for line in lines):
        lines = _absolute(lines)
    return b"\n".join(lines) + b"\n"


def _absolute(lines: list[bytes]) -> list[bytes]:
    vertex_count = 0
    result = []
    for line in lines:
        if line.startswith(b"v"):
            vertex_count += 1
            result.append(line)
            continue
        numbers = [int(number) for number in line.split()[1:]]
        absolute = [number if number > 0 else vertex_count + 1 + number for number in numbers]
        result.append(b"f " + " ".join(map(str, absolute)).encode())
    return result


def weld(points: FloatArray, triangles: IndexArray) -> tuple[FloatArray, IndexArray]:
    """Merge points with exactly equal coordinates, numbered in order of first appearance."""
    if len(points) == 0:
        return points, triangles
    _, first, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.zeros_like(order)
    number[order] = np.arange(len(order))
    return points[first[order]], number[inverse.reshape(-1)][triangles]
