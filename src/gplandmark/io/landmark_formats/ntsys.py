# SPDX-License-Identifier: MIT
"""NTSYS matrices, ``.nts``.

A line ``1 n[L] pk[L] 0|1 [code] DIM=k`` opens the file: n specimens, p landmarks in k dimensions,
L where labels follow, 1 and a number where landmarks may be missing. Lines that start with a
quotation mark are comments. geomorph cuts labels at white space, and takes every number whose
integer part has the digits of the code in it for a missing one. Its own files of one specimen have
a row for each landmark, ``1 p 3 0 dim=3``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as counting

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import (
    coded_points,
    coordinate_rows,
    count,
    even_count,
    kept_names,
    number,
    numbered_lines,
    one_line,
)
from gplandmark.io.homology import mark_for
from gplandmark.landmarks import Landmarks


@dataclass(frozen=True)
class MatrixHeader:
    """What the first line declares."""

    rows: int
    columns: int
    row_labels: bool
    column_labels: bool
    missing: float | None


def text(collection: Sequence[Landmarks]) -> str:
    """Content of an .nts file, with a code for missing landmarks only if there are any."""
    missing = any(each.missing.any() for each in collection)
    code = _unused_code(collection) if missing else None
    names = row_names(collection, "NTSYS")
    flag = "0" if code is None else f"1 {code:.0f}"
    head = f"1 {len(collection)}L {3 * len(collection[0])} {flag} DIM=3"
    rows = [row for each in collection for row in coordinate_rows(each, code)]
    mark = mark_for(collection)
    return "\n".join([*([f'"{mark}'] if mark else []), head, *names, *rows]) + "\n"


def row_names(collection: Sequence[Landmarks], format_name: str) -> tuple[str, ...]:
    """Names of the specimens as a matrix spells them; refuses what would be read differently."""
    if even_count(collection, format_name) == 1 and len(collection) > 1:
        raise LandmarkFileError(
            f"{format_name} cannot hold several specimens of one landmark: they would be read as "
            "one specimen. Use .csv or .tps."
        )
    return kept_names([each.specimen for each in collection], _spelling, format_name)


def _spelling(name: str) -> str:
    return re.sub(r"\s+|[\"'=]", "_", one_line(name))


def _unused_code(collection: Sequence[Landmarks]) -> float:
    codes = (-float("9" * length) for length in counting(3))
    return next(code for code in codes if is_unused(collection, f"{code:.0f}"))


def is_unused(collection: Sequence[Landmarks], code: str) -> bool:
    """Tell whether no coordinate has these digits in its integer part."""
    values: Iterator[float] = (
        value for each in collection for value in each.points[~each.missing].ravel().tolist()
    )
    return not any(code in str(int(value)) for value in values)


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every specimen of an .nts file, or the one whose rows are landmarks."""
    return parse_matrix(content, specimen)


def parse_matrix(
    content: str, specimen: str, *, from_editor: bool = False
) -> tuple[Landmarks, ...]:
    """Every specimen of a matrix, which may be one of Landmark Editor."""
    rows = [row for row in numbered_lines(content) if row[1][0] not in "\"'"]
    if not rows:
        raise LandmarkFileError("this is not an NTSYS file: it has nothing but comments.")
    body = [line for _, line in rows[1:]]
    header = _header(rows[0][1], f"line {rows[0][0]}", sum(len(line.split()) for line in body))
    labels, words = _labels(body, header)
    points = coded_points(
        [
            (f"landmark {at // 3 + 1} of the file", words[at : at + 3])
            for at in range(0, len(words), 3)
        ],
        header.missing,
        specimen,
        declared=not from_editor,  # which always writes the code
    )
    if not from_editor and header.columns == 3 and header.rows > 1:
        return (Landmarks.at(points, specimen, labels=labels),)
    names = labels or tuple(f"{specimen}-{i + 1}" for i in range(header.rows))
    if header.rows == 1 and not labels:
        names = (specimen,)
    cut = points.reshape(header.rows, -1, 3)
    return tuple(Landmarks.at(each, name) for each, name in zip(cut, names, strict=True))


def _header(line: str, where: str, words: int) -> MatrixHeader:
    fields = line.upper().split()
    dimension = next((field[4:] for field in fields if field.startswith("DIM=")), None)
    if len(fields) < 5 or fields[0] != "1" or dimension is None:
        raise LandmarkFileError(
            f"{where} is not the first line of an NTSYS file, e.g. '1 5L 54 0 DIM=3'."
        )
    if dimension != "3":
        raise LandmarkFileError(f"{where} says DIM={dimension[:9]}; only DIM=3 can be read.")
    rows = count(fields[1].removesuffix("L"), where, words)
    columns = count(fields[2].removesuffix("L"), where, words)
    if rows < 1 or columns % 3:
        raise LandmarkFileError(f"{where} declares {rows} rows of {columns} numbers, not points.")
    missing = number(fields[4], where) if fields[3] == "1" else None
    return MatrixHeader(rows, columns, fields[1][-1] == "L", fields[2][-1] == "L", missing)


def _labels(body: list[str], header: MatrixHeader) -> tuple[tuple[str, ...], list[str]]:
    """Labels of the rows, a line or a word each, and the words that are coordinates."""
    wanted = header.rows * header.columns
    row_labels = header.rows if header.row_labels else 0
    column_labels = header.columns if header.column_labels else 0
    for cells in (body, [word for line in body for word in line.split()]):
        labels = tuple(cells[:row_labels])
        words = [word for cell in cells[row_labels:] for word in cell.split()][column_labels:]
        if len(labels) == row_labels and len(words) == wanted:
            return labels, words
    raise LandmarkFileError(
        f"the first line declares {header.rows} rows of {header.columns} numbers; what follows "
        "is more or less than that. The file is damaged or cut short."
    )
