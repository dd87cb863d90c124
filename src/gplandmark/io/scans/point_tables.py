# SPDX-License-Identifier: MIT
"""Bare points from tables: XYZ, CSV and NPY."""

import re
from collections.abc import Callable, Mapping
from io import BytesIO

import numpy as np

from gplandmark.errors import ScanError, warn
from gplandmark.io.formatting import abbreviated
from gplandmark.io.scans.content import with_standard_nan
from gplandmark.numerics.arrays import FloatArray, IndexArray

Rows = list[tuple[int, list[str]]]  # numbers of lines, from 1, and their cells

SEPARATOR = re.compile(r"[,;\t]")
NUMBERED = re.compile(r"x\d+")


def xyz_points(content: bytes, name: str) -> FloatArray:
    """Points (n, 3) from lines of three numbers; further columns are left out, with a warning."""
    rows = _rows(content, name)
    columns = len(rows[0][1])
    if columns < 3:
        raise ScanError(
            f"line {rows[0][0]} has {columns} columns, and an XYZ file needs x, y and z. "
            "Use CSV for points on a line or in a plane.",
            name,
        )
    if columns > 3:
        warn(
            f"{name} has {columns} columns; the first three are taken for x, y and z.", stacklevel=4
        )
    return _numbers(rows, np.arange(3), name)


def csv_points(content: bytes, name: str) -> FloatArray:
    """Points (n, d) from a table, with or without a line of column names.

    Columns named x, y and z, or x1, x2, ..., are the coordinates; where none are named so, all
    columns of numbers are, and a warning names those left out.
    """
    rows = _rows(content, name)
    first = rows[0][1]
    if all(_is_number(cell) for cell in first):
        return _numbers(rows, np.arange(len(first)), name)
    header = [cell.lower() for cell in first]
    if {"specimen", "landmark"} <= set(header):
        raise ScanError.of(name, "is a table of landmarks, not a scan. Name the scan itself.")
    if len(rows) == 1:
        raise ScanError.of(name, "has a line of column names but no points. Export the scan again.")
    return _numbers(rows[1:], _coordinates(header, rows[1][1], name), name)


def npy_points(content: bytes, name: str) -> FloatArray:
    """Points from an array of NumPy, of shape (n, d)."""
    try:
        array = np.load(BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise ScanError.of(
            name, "cannot be read as NPY. Save an array of shape (n, d) with numpy.save."
        ) from None
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] == 0:
        raise ScanError.of(
            name,
            f"holds an array of {array.dtype} of shape {array.shape}; points need numbers "
            "in the shape (n, d).",
        )
    return np.asarray(array, dtype=np.float64)


POINT_READERS: Mapping[str, Callable[[bytes, str], FloatArray]] = {
    ".xyz": xyz_points,
    ".csv": csv_points,
    ".npy": npy_points,
}


def _rows(content: bytes, name: str) -> Rows:
    """Cells of all lines that hold any, all with as many as the first."""
    try:
        text = with_standard_nan(content).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ScanError.of(name, "is not a text file. Export the points as text.") from None
    lines = ((number, line.partition("#")[0]) for number, line in enumerate(text.splitlines(), 1))
    rows = [(number, _cells(line)) for number, line in lines if line.strip()]
    if not rows:
        raise ScanError.of(name, "has no points, only comments. Export the scan again.")
    columns = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != columns:
            raise ScanError(
                f"line {number} has {len(cells)} columns, but line {rows[0][0]} has "
                f"{columns}. The file is damaged or cut short; export it again.",
                name,
            )
    return rows


def _cells(line: str) -> list[str]:
    if SEPARATOR.search(line) is None:
        return line.split()
    separator = next(each for each in ";\t," if each in line)
    return [cell.strip().strip('"').strip() for cell in line.strip(" \r\n").split(separator)]


def _coordinates(header: list[str], example: list[str], name: str) -> IndexArray:
    """Return the columns that hold the coordinates."""
    if {"x", "y", "z"} <= set(header):
        return np.array([header.index(each) for each in "xyz"])
    numbered = [column for column, each in enumerate(header) if NUMBERED.fullmatch(each)]
    if numbered:
        return np.array(sorted(numbered, key=lambda column: int(header[column][1:])))
    chosen = [column for column, cell in enumerate(example) if _is_number(cell)]
    if not chosen:
        raise ScanError.of(name, "has no column of numbers. Name the coordinates x, y and z.")
    known = set(chosen)
    if left_out := [each for column, each in enumerate(header) if column not in known]:
        warn(
            f"{name}: the columns {abbreviated(left_out, 5)} hold no numbers and are left out.",
            stacklevel=5,
        )
    return np.array(chosen)


def _numbers(rows: Rows, columns: IndexArray, name: str) -> FloatArray:
    try:
        return np.array([[float(cells[k]) for k in columns] for _, cells in rows])
    except ValueError:
        number, cell = next(
            (number, cells[k])
            for number, cells in rows
            for k in columns
            if not _is_number(cells[k])
        )
        raise ScanError(
            f"line {number} has '{cell}' where a number is expected. Correct or remove the line.",
            name,
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
