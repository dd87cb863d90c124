# SPDX-License-Identifier: MIT
"""Cells of tables that a spreadsheet may open.

A spreadsheet takes a text that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, which can
start programs, and names come from files of others. Such a text is written with an apostrophe
before it, which spreadsheets understand as "this is text". Our readers remove it again.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import chain

# the wide forms of East Asian keyboards are formulas, too
FORMULA = re.compile("'*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")


def as_cell(text: str) -> str:
    """Return a text so that no spreadsheet takes it for a formula; numbers stay as they are."""
    return f"'{text}" if FORMULA.match(text) and not _is_number(text) else text


def of_cell(cell: str) -> str:
    """Return the text that `as_cell` made a cell of."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV, without formulas."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in chain([header], rows):
        writer.writerow([as_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue()
