# SPDX-License-Identifier: MIT
"""A table with one specimen per row: for MorphoJ, and for geomorph through `arrayspecs`.

The column ``ID``, or the first, names the specimen; a table without such a column has the name of
its file. Three columns per landmark are called ``LM1_X``, ``LM1_Y``, ``LM1_Z`` (MorphoJ),
``nasion_X`` ... (SlicerMorph) or ``X 1``, ``Y 1``, ``Z 1`` (SAMS). A missing landmark is ``NA``.
Other columns are left out, with a warning.
"""

from collections.abc import Collection, Sequence

from gplandmark.errors import LandmarkFileError
from gplandmark.io.csv_tables import (
    SPECIMEN,
    check_widths,
    is_blank,
    landmark_columns,
    rows_of,
    warn_left_out,
)
from gplandmark.io.formatting import (
    are_numbers,
    coordinate_rows,
    even_count,
    kept_names,
    one_line,
    point,
    point_array,
)
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.spreadsheet_cells import csv_text


def text(collection: Sequence[Landmarks]) -> str:
    """Content of the table, headed by the names of the first specimen's landmarks."""
    if even_count(collection, "A table with a row per specimen") == 0:
        raise LandmarkFileError("a table with a row per specimen needs at least one landmark.")
    labels = kept_names(collection[0].labels, one_line, "A table")
    names = kept_names([each.specimen for each in collection], one_line, "A table")
    for each in collection:
        if each.labels != collection[0].labels:
            raise LandmarkFileError(
                f"the landmarks of {collection[0].specimen} and {each.specimen} have different "
                "names, and the table has one heading for all. Use .csv or .tps."
            )
    heads = [f"LM{label}" for label in labels] if are_numbers(labels) else labels
    rows = (
        [name, *(cell for row in coordinate_rows(each) for cell in row.split())]
        for name, each in zip(names, collection, strict=True)
    )
    return csv_text(["ID", *(f"{head}_{axis}" for head in heads for axis in "XYZ")], rows)


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every specimen of the table; a row of empty cells is not one."""
    (_, heading), *rows = rows_of(content)
    header = [name.strip() for name in heading]
    check_widths(header, rows)
    found = landmark_columns(header)
    used = {column + axis for _, column in found for axis in range(3)}
    named_by = _name_column(header, used)
    known = {named_by, *used}
    others = [column for column in range(len(header)) if column not in known]
    filled = [column for column in others if any(_cell(cells, column) for _, cells in rows)]
    warn_left_out(specimen, [header[column] for column in filled])
    labels = tuple(label for label, _ in found)
    if labels == tuple(f"LM{i + 1}" for i in range(len(labels))):
        labels = ()
    return tuple(
        Landmarks.at(
            point_array(
                [point(cells[at : at + 3], f"line {line}, landmark {name}") for name, at in found]
            ),
            _cell(cells, named_by) or (specimen if len(rows) == 1 else f"{specimen}-{place}"),
            labels=labels,
        )
        for place, (line, cells) in enumerate(rows, start=1)
        if not is_blank(cells)
    )


def _name_column(header: Sequence[str], used: Collection[int]) -> int | None:
    """The column that names the specimens: the one called so, or the first."""
    free = [column for column in range(len(header)) if column not in used]
    called = [column for column in free if header[column].lower() in ("id", *SPECIMEN)]
    return next(iter(called), None if 0 in used else 0)


def _cell(cells: Sequence[str], column: int | None) -> str:
    return "" if column is None or column >= len(cells) else cells[column].strip()
