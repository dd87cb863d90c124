# SPDX-License-Identifier: MIT
"""A table with one landmark per row, ``.csv``: for R, spreadsheets and everyone else."""

import csv
from collections.abc import Sequence
from io import StringIO
from itertools import count

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks import Landmarks, classes_of
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX

__all__ = ["COLUMNS", "parse", "text"]

BEFORE, AFTER = ("specimen", "landmark"), ("vertex", "variance", "class")
IN_SPACE = ("x", "y", "z")
COLUMNS = (*BEFORE, *IN_SPACE, *AFTER)


def text(landmarks: Landmarks) -> str:
    """Content of the table; what is unknown stays empty. Every digit comes back on reading."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow((*BEFORE, *_coordinates(landmarks.points.shape[1]), *AFTER))
    for label, point, vertex, variance, kind in zip(
        landmarks.labels,
        landmarks.points,
        landmarks.vertices,
        landmarks.variances,
        landmarks.classes or [""] * len(landmarks),
        strict=True,
    ):
        writer.writerow(
            [
                landmarks.specimen,
                label,
                *(repr(float(value)) for value in point),
                "" if vertex == UNKNOWN_VERTEX else int(vertex),
                "" if np.isnan(variance) else repr(float(variance)),
                kind,
            ]
        )
    return buffer.getvalue()


def parse(content: str, specimen: str) -> Landmarks:
    """Landmarks of the one specimen in the table.

    Only the columns x, y and z are needed; x1, x2, ... in other dimensions than space.
    """
    reader = csv.DictReader(StringIO(content))
    reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or ()]
    columns = _coordinates_among(reader.fieldnames)
    missing = [name for name in columns if name not in reader.fieldnames]
    if missing:
        raise LandmarkFileError(
            f"the table has no column {' and no column '.join(missing)}. "
            f"The first line must name the columns: {','.join(COLUMNS)}."
        )
    rows = list(reader)
    names = list(dict.fromkeys(row.get("specimen") or specimen for row in rows))
    if len(names) > 1:
        raise LandmarkFileError(
            f"the table holds {len(names)} specimens ({names[0]}, {names[1]}, ...), expected one. "
            "Split it by specimen."
        )
    points = [[_number(row, name, line) for name in columns] for line, row in enumerate(rows, 2)]
    return Landmarks.at(
        np.array(points).reshape(-1, len(columns)),
        names[0] if names else specimen,
        labels=tuple(row.get("landmark") or str(number) for number, row in enumerate(rows, 1)),
        classes=classes_of([row.get("class") for row in rows]),
        vertices=np.array(
            [_optional(row, "vertex", line, UNKNOWN_VERTEX) for line, row in enumerate(rows, 2)],
            dtype=np.int64,
        ),
        variances=np.array(
            [_optional(row, "variance", line, np.nan) for line, row in enumerate(rows, 2)]
        ),
    )


def _coordinates(dimension: int) -> tuple[str, ...]:
    """Names of the columns of coordinates."""
    if dimension == len(IN_SPACE):
        return IN_SPACE
    return tuple(f"x{number + 1}" for number in range(dimension))


def _coordinates_among(names: Sequence[str]) -> tuple[str, ...]:
    """Columns of coordinates in a table with these columns: x, y and z, or x1, x2, ..."""
    dimension = next(number for number in count() if f"x{number + 1}" not in names)
    return _coordinates(dimension) if dimension else IN_SPACE


def _number(row: dict[str, str], name: str, line: int) -> float:
    try:
        value = float(row[name])
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise LandmarkFileError(f"line {line} has no number in column {name}: '{row[name]}'.")
    return value


def _optional(row: dict[str, str], name: str, line: int, unknown: float) -> float:
    return _number(row, name, line) if row.get(name) else unknown
