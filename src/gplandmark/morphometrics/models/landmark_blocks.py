# SPDX-License-Identifier: MIT
"""Two blocks of landmarks, from a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.io.named_tables import numbered, read_table
from gplandmark.numerics.arrays import IndexArray

EXPECTED = "a table whose first line is 'landmark,block'"


@dataclass(frozen=True, eq=False)
class LandmarkBlocks:
    """Names of two blocks, and the numbers of their landmarks, from 0."""

    names: tuple[str, str]
    first: IndexArray
    second: IndexArray


def read_blocks(path: Path, labels: Sequence[str]) -> LandmarkBlocks:
    """Read which landmarks belong to which of two blocks; those in none are left out.

    Raises
    ------
    LandmarkFileError
        The table cannot be read, or names a landmark that does not exist.
    AnalysisError
        There are not two blocks, or a landmark is in both.
    """
    blocks: dict[str, list[int]] = {}
    for row in read_table(path, ("landmark", "block"), EXPECTED):
        if row["block"]:
            blocks.setdefault(row["block"], []).append(numbered(row["landmark"], labels, path))
    if len(blocks) != 2:
        raise AnalysisError(f"{path} has {len(blocks)} blocks of landmarks, and two are compared.")
    every = [number for members in blocks.values() for number in members]
    if len(set(every)) < len(every):
        raise AnalysisError(f"{path} has a landmark twice. Each belongs to one block.")
    one, two = blocks
    return LandmarkBlocks((one, two), np.array(blocks[one]), np.array(blocks[two]))
