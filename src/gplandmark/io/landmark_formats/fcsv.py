# SPDX-License-Identifier: MIT
"""Fiducials of 3D Slicer before version 5, ``.fcsv``: read always, written for old programs.

The readers in R ignore the line with the coordinate system. geomorph takes the number of lines
with a ``#`` for the length of the header and cuts identifiers at "vtkMRMLMarkups", so that
labels must not have the one and identifiers must have the other.

Slicer 5 adds two fields to a row that the header does not name: whether the point is placed (2)
or not, and a flag. Where the file had line endings of Windows once, a stray one precedes them.
"""

import csv
import re
from collections.abc import Sequence
from io import StringIO

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import digits, kept_names, lines, one_line, point, point_array
from gplandmark.io.landmark_formats.slicer import kind_of, system_of
from gplandmark.landmarks import Landmarks

COLUMNS = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID"
STATUS, DEFINED = "status", "2"
ADDED = re.compile("[0-3],[01]")  # how far a point is placed, and whether by itself
STRAY = re.compile(r"(?:\r\n|\r|\n)(?=,[0-3],[01]\s*$)", re.M)
SETTING = re.compile(r"#\s*(\w+)\s*=\s*(.*)")


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a fiducial file; a missing landmark has the coordinates NaN."""
    (landmarks,) = collection
    kinds = landmarks.kinds or ("",) * len(landmarks)
    labels = kept_names(landmarks.labels, _spelling, "A fiducial file (.fcsv)")
    buffer = StringIO()
    buffer.write("# Markups fiducial file version = 4.13\n")
    buffer.write(f"# CoordinateSystem = {landmarks.system or 'LPS'}\n# columns = {COLUMNS}\n")
    writer = csv.writer(buffer, lineterminator="\n")
    for number, (label, kind, each) in enumerate(
        zip(labels, kinds, landmarks.points, strict=True), start=1
    ):
        place = ["NaN"] * 3 if np.isnan(each).any() else [digits(value) for value in each]
        identifier = f"vtkMRMLMarkupsFiducialNode_{number}"
        writer.writerow([identifier, *place, 0, 0, 0, 1, 1, 1, 0, label, kind.capitalize(), ""])
    return buffer.getvalue()


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of a fiducial file, in the numbers and the system of the file."""
    rows, settings = [], {}
    for place, line in enumerate(lines(STRAY.sub("", content)), start=1):
        if found := SETTING.match(line):
            settings[found[1].lower()] = found[2].strip()
        elif line.strip() and not line.startswith("#"):
            rows.append((place, line))
    columns = [name.strip() for name in settings.get("columns", COLUMNS).split(",")]
    if not {"x", "y", "z"} <= set(columns) or not (settings or rows):
        raise LandmarkFileError("this is not a 3D Slicer fiducial file: it names no x, y and z.")
    found_rows = [_row(line, columns, place) for place, line in rows]
    landmarks = Landmarks.at(
        point_array(
            [
                point(_coordinates(row), f"line {place}")
                for row, (place, _) in zip(found_rows, rows, strict=True)
            ]
        ),
        specimen,
        labels=tuple(row.get("label") or str(i) for i, row in enumerate(found_rows, start=1)),
        kinds=tuple(kind_of(row.get("desc", "")) for row in found_rows),
        system=_system(settings, specimen),
    )
    return (landmarks,)


def _spelling(label: str) -> str:
    return one_line(label).replace("#", "_")


def _row(line: str, columns: list[str], place: int) -> dict[str, str]:
    try:
        (fields,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError):
        raise LandmarkFileError(f"line {place} is not a row of a fiducial file.") from None
    more = [field.strip() for field in fields[len(columns) :]]
    if more and not ADDED.fullmatch(",".join(more)):
        raise LandmarkFileError(
            f"line {place} has {len(fields)} fields, but the file names {len(columns)} columns. "
            "Export numbers with decimal points, and put labels with a comma in quotation marks."
        )
    return dict(zip((*columns, STATUS), fields, strict=False))


def _coordinates(row: dict[str, str]) -> list[str]:
    """Coordinates of a row; a point that Slicer has not placed is missing."""
    if row.get(STATUS, "").strip() not in ("", DEFINED):
        return ["NA"] * 3
    return [row.get(axis, "?") for axis in "xyz"]


def _system(settings: dict[str, str], specimen: str) -> str | None:
    if "coordinatesystem" in settings:
        return system_of(settings["coordinatesystem"])
    warn(
        f"{specimen}: the fiducial file does not say its coordinate system; its numbers are kept.",
        stacklevel=4,
    )
    return None
