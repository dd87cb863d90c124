# SPDX-License-Identifier: MIT
"""Which columns of a table name the specimen and the landmark, under the words in use for them."""

from collections.abc import Mapping, Sequence

from gplandmark.errors import LandmarkFileError

__all__ = ["SPECIMEN", "naming_columns"]

SPECIMEN = ("specimen", "subject", "individual")
LANDMARK = ("landmark", "label")
Row = Mapping[str, str]


def naming_columns(header: Sequence[str], rows: Sequence[Row]) -> tuple[str | None, str | None]:
    """Columns with the names of specimens and of landmarks; None where there is none.

    "id" and "name" may be either, and what stands in them decides. An "id" is that of specimens,
    unless every row has another one. A "name" is that of landmarks, unless another column has it
    already.

    Raises
    ------
    LandmarkFileError
        The table has a "name" that repeats, and no other column tells whose it is.
    """
    specimen = _first(SPECIMEN, header)
    landmark = _first(LANDMARK, header)
    if specimen is None and "id" in header and _tells_specimens("id", landmark, rows):
        specimen = "id"
    if "name" in header:
        if landmark is None:
            _check_name(specimen, rows)
            landmark = "name"
        elif specimen is None and _tells_specimens("name", landmark, rows):
            specimen = "name"
    if specimen is None and landmark is None and "id" in header:
        landmark = "id"
    return specimen, landmark


def _first(names: Sequence[str], header: Sequence[str]) -> str | None:
    return next((name for name in names if name in header), None)


def _tells_specimens(column: str, landmark: str | None, rows: Sequence[Row]) -> bool:
    """Tell whether rows share the words of a column, or need them to be told apart."""
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
    words = [word for row in rows if (word := row.get(column, "").strip())]
    return len(set(words)) < len(words)
