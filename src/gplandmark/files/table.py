# SPDX-License-Identifier: MIT
"""A table with one landmark per row, ``.csv``: for R, spreadsheets and everyone else."""

import csv
import re
import warnings
from collections.abc import Mapping, Sequence
from io import StringIO

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError
from gplandmark.files import wide
from gplandmark.files.words import digits, is_missing, kept_names, number, point_array, printable
from gplandmark.landmarks import Landmarks, classes_of
from gplandmark.landmarks.landmarks import KINDS, UNKNOWN_VERTEX

__all__ = ["COLUMNS", "parse", "text"]

BEFORE, AFTER = ("specimen", "landmark"), ("vertex", "variance", "class", "type", "system")
IN_SPACE = ("x", "y", "z")
COLUMNS = (*BEFORE, *IN_SPACE, *AFTER)
NUMBERED = re.compile(r"x[1-9]\d*", re.ASCII)
Row = Mapping[str, str]


def text(collection: Sequence[Landmarks]) -> str:
    """Content of the table; what is unknown stays empty. Every digit comes back on reading."""
    names = kept_names([each.specimen for each in collection], printable, "A table")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LandmarkFileError(
            f"two specimens are called '{twice}', and the table could not tell them apart. "
            "Rename one."
        )
    if len(names) > 1 and (bare := next((each for each in collection if not len(each)), None)):
        raise LandmarkFileError(
            f"{bare.specimen} has no landmarks, and would have no row in the table. Leave it out."
        )
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow((*BEFORE, *_heading(collection), *AFTER))
    for name, landmarks in zip(names, collection, strict=True):
        for label, point, vertex, variance, landmark_class, kind in zip(
            kept_names(landmarks.labels, printable, "A table"),
            landmarks.points,
            landmarks.vertices,
            landmarks.variances,
            landmarks.classes or ("",) * len(landmarks),
            landmarks.kinds or ("",) * len(landmarks),
            strict=True,
        ):
            writer.writerow(
                [
                    name,
                    label,
                    *("" if np.isnan(value) else digits(value) for value in point),
                    "" if vertex == UNKNOWN_VERTEX else int(vertex),
                    "" if np.isnan(variance) else digits(variance),
                    landmark_class,
                    kind,
                    landmarks.system or "",
                ]
            )
    return buffer.getvalue()


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of every specimen in the table; only the columns of coordinates are needed.

    These are x, y and z; x1, x2, ... in other dimensions than space. A table with one specimen per
    row is recognised by its header.
    """
    cells = _cells(content)
    header = [name.strip().lower() for name in cells[0]]
    axes = _axes_among(header)
    if not set(IN_SPACE) <= set(header):
        if wide.is_header(cells[0]):
            return wide.parse(cells, specimen)
        _check_columns(axes, header)
    specimens: dict[str, list[tuple[int, Row]]] = {}
    for line, values in enumerate(cells[1:], start=2):
        row = dict(zip(header, values, strict=False))
        specimens.setdefault(row.get("specimen") or specimen, []).append((line, row))
    return tuple(_specimen(name, rows, axes) for name, rows in specimens.items()) or (
        Landmarks.at(point_array([], len(axes)), specimen),
    )


def _cells(content: str) -> list[list[str]]:
    """Rows of the table that are not blank, the header first."""
    try:
        cells = [row for row in csv.reader(StringIO(content, newline="")) if any(row)]
    except csv.Error as error:
        raise LandmarkFileError(f"this is no table ({error}).") from None
    return cells or [[]]


def _heading(collection: Sequence[Landmarks]) -> tuple[str, ...]:
    """Names of the columns of coordinates, which all specimens share."""
    first = collection[0]
    dimension = first.points.shape[1]
    for other in collection:
        if other.points.shape[1] != dimension:
            raise LandmarkFileError(
                f"{first.specimen} has dimension {dimension} and {other.specimen} has dimension "
                f"{other.points.shape[1]}, and the table has one heading for all. "
                "Write a table for each."
            )
    return IN_SPACE if dimension == len(IN_SPACE) else _numbered(dimension)


def _numbered(dimension: int) -> tuple[str, ...]:
    return tuple(f"x{number + 1}" for number in range(dimension))


def _axes_among(header: Sequence[str]) -> tuple[str, ...]:
    """Columns of coordinates that a table with this header should have."""
    if set(IN_SPACE) <= set(header) or "y1" in header:  # x1 with y1 is the x of a first landmark
        return IN_SPACE
    return _numbered(sum(bool(NUMBERED.fullmatch(name)) for name in header)) or IN_SPACE


def _check_columns(axes: Sequence[str], header: Sequence[str]) -> None:
    if any(";" in name for name in header):
        raise LandmarkFileError(
            "its columns are separated by semicolons, which goes with decimal commas. "
            "Save it with commas between the columns and with decimal points."
        )
    if missing := [name for name in axes if name not in header]:
        raise LandmarkFileError(
            f"the table has no column {' and no column '.join(missing)}. "
            f"The first line must name the columns: {','.join(COLUMNS)}."
        )


def _specimen(name: str, rows: Sequence[tuple[int, Row]], axes: Sequence[str]) -> Landmarks:
    systems = {row.get("system", "").strip().upper() for _, row in rows}
    if len(systems) > 1:
        raise LandmarkFileError(f"{name} is in more than one coordinate system: {sorted(systems)}.")
    return Landmarks.at(
        point_array([_point(row, line, axes) for line, row in rows], len(axes)),
        name,
        labels=tuple(row.get("landmark") or str(i) for i, (_, row) in enumerate(rows, start=1)),
        vertices=np.array([_vertex(row, line) for line, row in rows], dtype=np.int64),
        variances=np.array([_optional(row, "variance", line, np.nan) for line, row in rows]),
        classes=classes_of([row.get("class") for _, row in rows]),
        kinds=_kinds(name, rows),
        system=systems.pop() or None,
    )


def _point(row: Row, line: int, axes: Sequence[str]) -> list[float]:
    values = [row.get(axis, "?") for axis in axes]
    if all(map(is_missing, values)):
        return [np.nan] * len(axes)
    return [_number(row, axis, line) for axis in axes]


def _kinds(name: str, rows: Sequence[tuple[int, Row]]) -> tuple[str, ...]:
    words = [row.get("type", "").strip().lower() for _, row in rows]
    if strange := next((word for word in words if word not in ("", *KINDS)), None):
        warnings.warn(
            f"{name}: the column type has '{strange[:40]}', which is neither fixed nor semi; "
            "such entries are left out.",
            GplandmarkWarning,
            stacklevel=5,
        )
    return tuple(word if word in KINDS else "" for word in words)


def _number(row: Row, name: str, line: int) -> float:
    word = row.get(name, "").strip()
    try:
        return number(word, f"line {line}")
    except LandmarkFileError as error:
        sentence = str(error).replace("has no number", f"has no number in column {name}")
        raise LandmarkFileError(sentence) from None


def _optional(row: Row, name: str, line: int, unknown: float) -> float:
    return unknown if is_missing(row.get(name, "")) else _number(row, name, line)


def _vertex(row: Row, line: int) -> int:
    value = _optional(row, "vertex", line, UNKNOWN_VERTEX)
    if value != round(value) or abs(value) > 2**53:
        raise LandmarkFileError(f"line {line} has no whole number in column vertex: {value}.")
    return int(value)
