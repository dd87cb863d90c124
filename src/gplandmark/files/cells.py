# SPDX-License-Identifier: MIT
"""Cells of a table, with the lines they stand in: what tables of every shape have in common."""

import csv
import warnings
from collections.abc import Sequence
from io import StringIO

from gplandmark.errors import GplandmarkWarning, LandmarkFileError

__all__ = ["Cells", "check_widths", "is_blank", "rows_of", "warn_left_out"]

Cells = tuple[int, Sequence[str]]
"""A row: the number of its line, from 1, and what stands in it."""


def rows_of(content: str) -> list[Cells]:
    """Header and rows of a table; a blank line is no row.

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
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise LandmarkFileError(f"this is no table ({error}).") from None
    while rows and is_blank(rows[-1][1]):
        rows.pop()
    return rows or [(1, [])]


def is_blank(cells: Sequence[str]) -> bool:
    """Tell whether no cell of a row has anything in it."""
    return not any(cell.strip() for cell in cells)


def check_widths(header: Sequence[str], rows: Sequence[Cells]) -> None:
    """Refuse rows with more cells than columns: decimal commas make two of one number.

    One comma at the end of a row is no cell.

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
                "Export numbers with decimal points, and put words with a comma in quotation marks."
            )


def warn_left_out(specimen: str, names: Sequence[str]) -> None:
    """Name the columns that a table has and we do not read, if there are any."""
    if names:
        shown = ", ".join(name or "one without a name" for name in names[:5])
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        warnings.warn(
            f"{specimen}: columns that we do not know are left out: {shown}{more}.",
            GplandmarkWarning,
            stacklevel=5,
        )
