# SPDX-License-Identifier: MIT
"""A table with one landmark per row, ``.csv``: for R, spreadsheets and everyone else."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.csv_tables import (
    Cells,
    check_widths,
    is_blank,
    landmark_columns,
    naming_columns,
    rows_of,
    warn_left_out,
)
from gplandmark.io.curve_cells import CURVE, curve_cells, curves_of_cells
from gplandmark.io.formatting import digits, is_missing, kept_names, number, point_array, printable
from gplandmark.io.landmark_formats import csv_wide
from gplandmark.landmarks import Landmarks, classes_of
from gplandmark.landmarks.landmarks import KINDS, UNKNOWN_VERTEX
from gplandmark.landmarks.spreadsheet_cells import csv_text
from gplandmark.numerics.arrays import FloatArray

BEFORE, AFTER = ("specimen", "landmark"), ("vertex", "variance", "class", "type", "system")
IN_SPACE = ("x", "y", "z")
COLUMNS = (*BEFORE, *IN_SPACE, *AFTER)
NUMBERED = re.compile(r"x[1-9]\d*", re.ASCII)
Row = Mapping[str, str]


def text(collection: Sequence[Landmarks]) -> str:
    """Content of the table; what is unknown stays empty. Every digit comes back on reading."""
    names = kept_names([each.specimen for each in collection], printable, "A table")
    if twice := next((name for name, often in Counter(names).items() if often > 1), None):
        raise LandmarkFileError(
            f"two specimens are called '{twice}', and the table could not distinguish them. "
            "Rename one."
        )
    if len(names) > 1 and (bare := next((each for each in collection if not len(each)), None)):
        raise LandmarkFileError(
            f"{bare.specimen} has no landmarks, and would have no row in the table. Leave it out."
        )
    has_curves = any(each.curves for each in collection)
    header = (*BEFORE, *_heading(collection), *AFTER, *([CURVE] if has_curves else []))
    return csv_text(header, _rows(names, collection, has_curves))


def _rows(
    names: Sequence[str], collection: Sequence[Landmarks], has_curves: bool
) -> Iterator[list[object]]:
    for name, landmarks in zip(names, collection, strict=True):
        for label, point, vertex, variance, landmark_class, kind, curve in zip(
            kept_names(landmarks.labels, printable, "A table"),
            landmarks.points,
            landmarks.vertices,
            landmarks.variances,
            landmarks.classes or ("",) * len(landmarks),
            landmarks.kinds or ("",) * len(landmarks),
            curve_cells(landmarks.curves, len(landmarks)),
            strict=True,
        ):
            yield [
                name,
                label,
                *("" if np.isnan(value) else digits(value) for value in point),
                "" if vertex == UNKNOWN_VERTEX else int(vertex),
                "" if np.isnan(variance) else digits(variance),
                landmark_class,
                kind,
                landmarks.system or "",
                *([curve] if has_curves else []),
            ]


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of every specimen in the table; only the columns of coordinates are needed.

    These are x, y and z; x1, x2, ... in other dimensions than space. A table with one specimen per
    row is recognised by its header.
    """
    (_, heading), *rows = rows_of(content)
    header = [name.strip().lower() for name in heading]
    axes = _axes_among(header)
    across = not set(IN_SPACE) <= set(header) and bool(landmark_columns(heading))
    if across:
        return csv_wide.parse(content, specimen)
    _check_columns(axes, header)
    check_widths(header, rows)
    return _parse(header, axes, rows, specimen)


def _parse(
    header: Sequence[str], axes: Sequence[str], rows: Sequence[Cells], specimen: str
) -> tuple[Landmarks, ...]:
    """Landmarks of every specimen, from a table with a row for each landmark."""
    table = [_row(header, cells) for _, cells in rows]
    named_by, label = naming_columns(header, table)
    known = {*axes, *AFTER, CURVE, named_by, label}
    filled = [name for name in header if any(row.get(name, "").strip() for row in table)]
    warn_left_out(specimen, [name for name in filled if name not in known])
    specimens: dict[str, list[tuple[int, Row]]] = {}
    names = _specimen_names(table, named_by, specimen)
    for (line, _), row, name in zip(rows, table, names, strict=True):
        if name is not None:
            specimens.setdefault(name, []).append((line, row))
    return tuple(_specimen(name, found, axes, label) for name, found in specimens.items()) or (
        Landmarks.at(point_array([], len(axes)), specimen),
    )


def _row(header: Sequence[str], cells: Sequence[str]) -> Row:
    if is_blank(cells):
        return dict.fromkeys(header, "")
    return dict(zip(header, cells, strict=False))


def _specimen_names(
    table: Sequence[Row], column: str | None, specimen: str
) -> Sequence[str | None]:
    """Specimen of each row; None for a blank row between two specimens, which parts them.

    A blank row between landmarks of one specimen is a missing one.
    """
    if column is None:
        return [specimen] * len(table)
    names = [None if is_blank([*row.values()]) else row.get(column) or specimen for row in table]
    before = list(accumulate(names, _latest))
    after = list(accumulate(reversed(names), _latest))[::-1]
    return [one if one == other else None for one, other in zip(before, after, strict=True)]


def _latest(last: str | None, name: str | None) -> str | None:
    return last if name is None else name


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
    often = Counter(header)
    missing = [name for name in axes if name not in often]
    if missing and any(";" in name for name in header):
        raise LandmarkFileError(
            "its columns are separated by semicolons, which goes with decimal commas. "
            "Save it with commas between the columns and with decimal points."
        )
    if twice := next((name for name in axes if often[name] > 1), None):
        raise LandmarkFileError(f"the table has two columns {twice}. Rename or remove one.")
    if missing:
        raise LandmarkFileError(
            f"the table has no column {' and no column '.join(missing[:5])}. "
            f"The first line must name the columns: {','.join(COLUMNS)}."
        )


def _specimen(
    name: str, rows: Sequence[tuple[int, Row]], axes: Sequence[str], label: str | None
) -> Landmarks:
    points = point_array([_point(row, line, axes) for line, row in rows], len(axes))
    labels = [row.get(label or "", "") for _, row in rows]
    return Landmarks.at(
        points,
        name,
        labels=tuple(word or str(place) for place, word in enumerate(labels, start=1)),
        vertices=np.array([_vertex(row, line) for line, row in rows], dtype=np.int64),
        variances=np.array([_optional(row, "variance", line, np.nan) for line, row in rows]),
        classes=classes_of([row.get("class") for _, row in rows]),
        kinds=_kinds(name, rows),
        system=_system(name, [row for _, row in rows], points),
        curves=curves_of_cells([row.get(CURVE, "") for _, row in rows]),
    )


def _system(name: str, rows: Sequence[Row], points: FloatArray) -> str | None:
    """The one system of a specimen; a missing landmark need not have one."""
    words = [row.get("system", "").strip().upper() for row in rows]
    systems = sorted(
        {word for word, each in zip(words, points, strict=True) if word or not np.isnan(each).any()}
    )
    if len(systems) < 2:
        return systems[0] or None if systems else None
    if not systems[0]:
        raise LandmarkFileError(
            f"{name}: some landmarks are in {' or '.join(systems[1:])}, and some do not say their "
            "coordinate system. Fill in the column system."
        )
    raise LandmarkFileError(f"{name} is in several coordinate systems: {' and '.join(systems)}.")


def _point(row: Row, line: int, axes: Sequence[str]) -> list[float]:
    values = [row.get(axis, "?") for axis in axes]
    if all(map(is_missing, values)):
        return [np.nan] * len(axes)
    return [_number(row, axis, line) for axis in axes]


def _kinds(name: str, rows: Sequence[tuple[int, Row]]) -> tuple[str, ...]:
    words = [row.get("type", "").strip().lower() for _, row in rows]
    if strange := next((word for word in words if word not in ("", *KINDS)), None):
        warn(
            f"{name}: the column type has '{strange[:40]}', which is neither fixed nor semi; "
            "such entries are left out.",
            stacklevel=5,
        )
    return tuple(word if word in KINDS else "" for word in words)


def _number(row: Row, name: str, line: int) -> float:
    return number(row.get(name, "").strip(), f"line {line}", column=name)


def _optional(row: Row, name: str, line: int, unknown: float) -> float:
    return unknown if is_missing(row.get(name, "")) else _number(row, name, line)


def _vertex(row: Row, line: int) -> int:
    value = _optional(row, "vertex", line, UNKNOWN_VERTEX)
    if value != round(value) or abs(value) > 2**53:
        raise LandmarkFileError(f"line {line} has no integer in column vertex: {value}.")
    return int(value)
