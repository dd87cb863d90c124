# SPDX-License-Identifier: MIT
"""To which group each specimen belongs, from a table with the columns specimen and group."""

import csv
import warnings
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from gplandmark.analysis.configurations import listed
from gplandmark.errors import AnalysisError, GplandmarkWarning, LandmarkFileError
from gplandmark.files.content import content_of
from gplandmark.files.words import full_names

__all__ = ["groups_of", "read_groups"]

COLUMNS = ("specimen", "group")


def read_groups(path: Path) -> dict[str, str | None]:
    """Group of every specimen in a table with commas, semicolons or tabs; None where it is blank.

    Raises
    ------
    LandmarkFileError
        The file cannot be read, has not both columns, or tells two groups of one specimen.
    """
    content = content_of(path)
    first = content.lstrip().splitlines()[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.DictReader(StringIO(content), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise LandmarkFileError(f"{path} is no table ({error}).") from None
    named = {str(key).strip().lower(): key for key in (rows[0] if rows else {})}
    if not rows or not set(COLUMNS) <= set(named):
        raise LandmarkFileError(
            f"{path}: expected a table whose first line is 'specimen,group', and a line for each "
            f"specimen, got '{first[:60]}'."
        )
    groups: dict[str, str | None] = {}
    for row in rows:
        name, group = ((row[named[column]] or "").strip() for column in COLUMNS)
        if name and groups.setdefault(name, group or None) != (group or None):
            raise LandmarkFileError(f"{path} tells two groups of {name}. Keep one of the lines.")
    return groups


def groups_of(names: Sequence[str], groups: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Group of each specimen in turn; None, with a warning, for those that are not in the table.

    Raises
    ------
    AnalysisError
        The table has a group for none of them.
    """
    groups = _in_full(names, groups)
    unknown = [name for name in names if groups.get(name) is None]
    others = [name for name in groups if name not in names]
    if len(unknown) == len(names):
        found = f"The table has {listed('specimen', others)}" if others else "The table is blank"
        raise AnalysisError(
            f"No group is known for any specimen. {found}; the landmarks are of "
            f"{listed('specimen', names)}. The names must be the same."
        )
    if unknown:
        _warn(f"No group is told for {listed('specimen', unknown)}: classified, but not tested.")
    if others:
        _warn(f"The table of groups names {listed('specimen', others)}, without landmarks here.")
    return tuple(groups.get(name) for name in names)


def _in_full(names: Sequence[str], groups: Mapping[str, str | None]) -> dict[str, str | None]:
    """Groups by the full names of specimens: ``site/a`` may be called ``a`` if only one is."""
    full = full_names(names)
    return {
        name if name in names else full.get(name, name): group for name, group in groups.items()
    }


def _warn(sentence: str) -> None:
    warnings.warn(sentence, GplandmarkWarning, stacklevel=3)
