# SPDX-License-Identifier: MIT
"""Landmark sets of Amira and Avizo, ``.landmarkAscii``: read only.

A file of two paired sets becomes two specimens. Nothing gives the coordinate system: the numbers
are those of the mesh in Amira, and files that came from elsewhere may have x and y turned.
"""

import re

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import count, numbered_lines, point, point_array
from gplandmark.landmarks import Landmarks

MAGIC = re.compile(r"#\s*(AmiraMesh|Avizo)\b.*\bASCII\b", re.I)
MARKERS = re.compile(r"define\s+Markers\s+(\S+)")
SET = re.compile(r"Markers\s*\{\s*(?:float|double)\[3\]\s+Coordinates\d*\s*\}\s*(@\d+)")


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every set of landmarks in the file."""
    rows = numbered_lines(content)
    if not rows or not MAGIC.match(rows[0][1]):
        raise LandmarkFileError(
            "this is not an ASCII landmark set of Amira or Avizo. Save it as LandmarkSet ASCII."
        )
    defined = [found[1] for _, line in rows if (found := MARKERS.match(line))]
    sets = [found[1] for _, line in rows if (found := SET.match(line))]
    if not defined or not sets:
        raise LandmarkFileError("the file defines no Markers with Coordinates: no landmark set.")
    declared = count(defined[0], "'define Markers'", len(rows))
    names = [specimen] if len(sets) == 1 else [f"{specimen}-{i + 1}" for i in range(len(sets))]
    return tuple(
        Landmarks.at(point_array(_points(rows, marker, declared)), name)
        for marker, name in zip(sets, names, strict=True)
    )


def _points(rows: list[tuple[int, str]], marker: str, declared: int) -> list[list[float]]:
    """Rows after the line that is the marker of a set and nothing else."""
    opened = next((at for at, (_, line) in enumerate(rows) if line == marker), len(rows))
    block = rows[opened + 1 : opened + 1 + declared]
    if len(block) < declared:
        raise LandmarkFileError(
            f"the set {marker} declares {declared} landmarks, but {len(block)} follow. "
            "The file is damaged or cut short."
        )
    return [point(line.split(), f"line {place}") for place, line in block]
