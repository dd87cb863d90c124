# SPDX-License-Identifier: MIT
"""Variables of specimens from a table: numbers and groups for a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import AnalysisError, LandmarkFileError
from gplandmark.io.formatting import COMMA, NUMBER, full_names, is_missing, listed, number
from gplandmark.io.named_tables import read_table
from gplandmark.numerics import array_types as npt

SPECIMEN = "specimen"


def read_covariates(path: Path, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Read the variables of specimens from a table with the column specimen and any others.

    A column is one of numbers if every entry is a number or missing; otherwise it names groups.
    What is missing is NaN or empty. The table may call the specimen ``site/a`` just ``a``.

    Raises
    ------
    LandmarkFileError
        The file cannot be read, has no column specimen, has two lines for a specimen, or numbers
        with a decimal comma.
    AnalysisError
        It has no line for any specimen.
    """
    return {
        name: _values(cells, f"{path}, column {name},")
        for name, cells in read_words(path, names).items()
    }


def read_words(path: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """Read the columns of such a table as words, one for each specimen; empty where missing."""
    rows = read_table(path, (SPECIMEN,), "a table whose first line names the columns, among them "
                      "'specimen'")  # fmt: skip
    full = full_names(names)
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        name = row[SPECIMEN]
        name = name if name in names else full.get(name, name)
        if found.setdefault(name, row) != row:
            raise LandmarkFileError(f"{path} has two lines for {name}. Keep one of them.")
    if not set(found) & set(names):
        raise AnalysisError(
            f"{path} has no line for any specimen. It has {listed('specimen', list(found))}; the "
            f"landmarks are of {listed('specimen', names)}. The names must be the same."
        )
    columns = [name for name in rows[0] if name and name != SPECIMEN]
    return {each: [_word(found.get(name, {}).get(each, "")) for name in names] for each in columns}


def _word(cell: str) -> str:
    return "" if is_missing(cell) else cell


def _values(words: Sequence[str], where: str) -> npt.NDArray[Any]:
    """Numbers, if all words are, also with a decimal comma, which is refused; or the words."""
    if all(not word or NUMBER.fullmatch(word) or COMMA.fullmatch(word) for word in words):
        return np.array([number(word, where) if word else np.nan for word in words])
    return np.array(words)
