# SPDX-License-Identifier: MIT
"""Tables of results as text of .csv files."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

import numpy as np

from gplandmark.files.words import digits, one_line, printable

__all__ = ["table_text"]


def table_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table: numbers in full, yes and no, empty for None, and every cell on one line."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([printable(name) for name in header])
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return buffer.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, float):
        return digits(value)
    return "" if value is None or value == "" else printable(one_line(str(value)))
