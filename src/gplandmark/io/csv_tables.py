# SPDX-License-Identifier: MIT
"""CSV tables: rows with their line numbers, columns by name, and writing."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import abbreviated, digits, one_line, printable
from gplandmark.landmarks.spreadsheet_cells import csv_text, of_cell

Cells = tuple[int, Sequence[str]]
"""A row: the number of its line, from 1, and its cells."""


def rows_of(content: str) -> list[Cells]:
    """Header and rows of a table; a blank line is not a row.

    Nor are rows of empty cells before the header and at the end, as spreadsheets leave them. Those
    in between are kept: they may be missing landmarks.
    """
    first = content.lstrip().partition("\n")[0]
    is_tabbed = "\t" in first and "," not in first  # as spreadsheets export text
    reader = csv.reader(StringIO(content, newline=""), delimiter="\t" if is_tabbed else ",")
    rows: list[Cells] = []
    line = 1
    try:
        for cells in reader:
            if not is_blank(cells) or (rows and len(cells) > 1):
                rows.append((line, [of_cell(cell) for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise LandmarkFileError(f"this is not a table ({error}).") from None
    while rows and is_blank(rows[-1][1]):
        rows.pop()
    return rows or [(1, [])]


def is_blank(cells: Sequence[str]) -> bool:
    """Tell whether no cell of a row has anything in it."""
    return not any(cell.strip() for cell in cells)


def check_widths(header: Sequence[str], rows: Sequence[Cells]) -> None:
    """Refuse rows with more cells than columns: decimal commas make two of one number.

    One comma at the end of a row is not a cell.

    Raises
    ------
    LandmarkFileError
        A row has something beyond the last column that the header names, or more cells than it.
    """
    width = max((place for place, name in enumerate(header, start=1) if name.strip()), default=0)
    for line, cells in rows:
        wider = len(cells) > len(header) + 1 and not is_blank(cells)
        if wider or not is_blank(cells[width:]):
            raise LandmarkFileError(
                f"line {line} has {len(cells)} cells, but the header names {width} columns. "
                "Export numbers with decimal points, and put text with a comma in quotation marks."
            )


def warn_left_out(specimen: str, names: Sequence[str]) -> None:
    """Name the columns that a table has and we do not read, if there are any."""
    if names:
        shown = abbreviated([name or "one without a name" for name in names], 5)
        warn(f"{specimen}: columns that we do not know are left out: {shown}.", stacklevel=5)


SPECIMEN = ("specimen", "subject", "individual")
LANDMARK = ("landmark", "label")
Row = Mapping[str, str]
AXIS_LAST = re.compile(r"(.*)[_ ]([XYZ])", re.I | re.S)
AXIS_FIRST = re.compile(r"()([XYZ])[_ ]?(.+)", re.I | re.S)


def naming_columns(header: Sequence[str], rows: Sequence[Row]) -> tuple[str | None, str | None]:
    """Columns with the names of specimens and of landmarks; None where there is none.

    "id" and "name" may be either, and their content decides. An "id" is that of specimens,
    unless every row has another one. A "name" is that of landmarks, unless another column has it
    already.

    Raises
    ------
    LandmarkFileError
        The table has a "name" that repeats, and no other column says whose it is.
    """
    specimen = _first(SPECIMEN, header)
    landmark = _first(LANDMARK, header)
    if specimen is None and "id" in header and _names_specimens("id", landmark, rows):
        specimen = "id"
    if "name" in header:
        if landmark is None:
            _check_name(specimen, rows)
            landmark = "name"
        elif specimen is None and _names_specimens("name", landmark, rows):
            specimen = "name"
    if specimen is None and landmark is None and "id" in header:
        landmark = "id"
    return specimen, landmark


def _first(names: Sequence[str], header: Sequence[str]) -> str | None:
    return next((name for name in names if name in header), None)


def _names_specimens(column: str, landmark: str | None, rows: Sequence[Row]) -> bool:
    """Tell whether rows have equal values in a column, or need it to be distinguished."""
    if _repeats(column, rows):
        return True
    return landmark is not None and (len(rows) == 1 or _repeats(landmark, rows))


def _check_name(specimen: str | None, rows: Sequence[Row]) -> None:
    if specimen is None and _repeats("name", rows):
        raise LandmarkFileError(
            "the column name may be that of specimens or of landmarks, since some names repeat. "
            "Call it specimen or landmark."
        )


def _repeats(column: str, rows: Sequence[Row]) -> bool:
    values = [value for row in rows if (value := row.get(column, "").strip())]
    return len(set(values)) < len(values)


def landmark_columns(header: Sequence[str]) -> list[tuple[str, int]]:
    """Names of the landmarks of a table with a row per specimen, and the column of each x.

    There are none in a table of another shape.
    """
    split = [_split(name) for name in header]
    return [
        (split[at][0], at)
        for at in range(len(header) - 2)
        if [axis for _, axis in split[at : at + 3]] == ["x", "y", "z"]
        and len({label for label, _ in split[at : at + 3]}) == 1
    ]


def _split(name: str) -> tuple[str, str]:
    """Landmark and axis of a column; the axis is empty if it has none."""
    if found := AXIS_LAST.fullmatch(name.strip()):
        return found[1], found[2].lower()
    if found := AXIS_FIRST.fullmatch(name.strip()):
        return found[3], found[2].lower()
    return name, ""


def table_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table: numbers in full, yes and no, empty for None, and every cell on one line."""
    return csv_text(list(map(printable, header)), ([_cell(value) for value in row] for row in rows))


def _cell(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, float):
        return digits(value)
    return "" if value is None or value == "" else printable(one_line(str(value)))
