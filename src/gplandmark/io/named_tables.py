# SPDX-License-Identifier: MIT
"""Tables with a line of names above: groups, covariates, pairs and curves."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_of
from gplandmark.landmarks.spreadsheet_cells import of_cell


def read_table(path: Path, columns: Sequence[str], expected: str) -> list[dict[str, str]]:
    """Read the rows of a table, by the names of its columns.

    Columns are separated by commas, semicolons or tabs. Those that are needed are found whatever
    the case of their names, and get the names given here; others keep theirs.

    Parameters
    ----------
    columns : names that it must have
    expected : what the table should be, for the error

    Raises
    ------
    LandmarkFileError
        The file cannot be read, is not a table, or lacks a column.
    """
    content = content_of(path)
    first = content.lstrip().splitlines()[0] if content.strip() else ""
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.DictReader(StringIO(content), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise LandmarkFileError(f"{path} is not a table ({error}).") from None
    names = {key: _name(str(key), columns) for key in (rows[0] if rows else {})}
    if not rows or not set(columns) <= set(names.values()):
        raise LandmarkFileError(f"{path}: expected {expected}, got '{first[:60]}'.")
    return [
        {
            names[key]: of_cell((value or "").strip())
            for key, value in row.items()
            if key in names and key
        }
        for row in rows
    ]


def _name(key: str, columns: Sequence[str]) -> str:
    return next((name for name in columns if name == key.strip().lower()), key.strip())


def numbered(word: str, labels: Sequence[str], path: Path | str) -> int:
    """Number, from 0, of a landmark that is given by its name or by its number from 1.

    Raises
    ------
    LandmarkFileError
        There is no such landmark.
    """
    if word in labels:
        return list(labels).index(word)
    if word.isdecimal() and 1 <= int(word) <= len(labels):
        return int(word) - 1
    raise LandmarkFileError(
        f"{path}: there is no landmark '{word[:40]}'. Give its name, or its number from 1 to "
        f"{len(labels)}."
    )
