# SPDX-License-Identifier: MIT
"""To which group each specimen belongs, from a table with the columns specimen and group."""

import csv
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

from gplandmark.errors import AnalysisError, GplandmarkWarning, LandmarkFileError
from gplandmark.io.files import content_of
from gplandmark.io.formatting import full_names, listed
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["Classification", "groups_of", "nearest_neighbour", "read_groups"]

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


@dataclass(frozen=True, eq=False)
class Classification:
    """What the nearest neighbour says of every specimen.

    Attributes
    ----------
    groups : of the s specimens; None where unknown
    nearest : (s,) number of the other specimen with a group most like each; the first of equals
    distances : (s,) to it
    counted : (s,) which have a group with another member in it, and so could be found right
    """

    groups: tuple[str | None, ...]
    nearest: IndexArray
    distances: FloatArray
    counted: BoolArray

    @property
    def found(self) -> tuple[str | None, ...]:
        """Group of the nearest neighbour of each."""
        return tuple(self.groups[number] for number in self.nearest)

    @property
    def right(self) -> BoolArray:
        """Which of those that count are found right, (s,)."""
        same = [own == other for own, other in zip(self.groups, self.found, strict=True)]
        return np.asarray(np.array(same) & self.counted)

    @property
    def rate(self) -> float:
        """Share found right of those that count."""
        return float(self.right.sum() / self.counted.sum())

    @property
    def chance(self) -> float:
        """The same for a neighbour drawn at random: mean of (n_g - 1) / (s - 1), s with a group."""
        sizes = Counter(group for group in self.groups if group is not None)
        own = [sizes[group] - 1 for group, used in zip(self.groups, self.counted, strict=True)
               if group is not None and used]  # fmt: skip
        return float(np.mean(own) / (sizes.total() - 1))


def nearest_neighbour(distances: FloatArray, groups: Sequence[str | None]) -> Classification:
    """Classify every specimen, left out in turn, by the one nearest to it.

    The group of i is found as that of argmin over j != i of d_ij, j over the specimens that have a
    group. So one is found for those without, too. Only groups of two and more count.

    Raises
    ------
    AnalysisError
        No group has two members, or there is not one group per specimen.
    """
    if distances.shape != (len(groups), len(groups)):
        raise AnalysisError(f"Expected {len(distances)} groups, one per specimen, "
                            f"got {len(groups)}.")  # fmt: skip
    sizes = Counter(group for group in groups if group is not None)
    counted = np.array([group is not None and sizes[group] > 1 for group in groups])
    if not counted.any():
        raise AnalysisError(
            "No group has two members, so that none can be found by its neighbours."
        )
    unknown = np.array([group is None for group in groups])
    others = np.where(np.eye(len(distances), dtype=bool) | unknown, np.inf, distances)
    nearest = others.argmin(axis=1)
    return Classification(tuple(groups), nearest, others[np.arange(len(others)), nearest], counted)
