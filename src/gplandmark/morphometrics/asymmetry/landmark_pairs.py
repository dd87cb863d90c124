# SPDX-License-Identifier: MIT
"""Which landmark of the left is which of the right: from a table, from names, or found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from gplandmark.errors import AnalysisError
from gplandmark.io.formatting import listed
from gplandmark.io.named_tables import numbered, read_table
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import best_rotations

COLUMNS = ("left", "right")
SIDES = re.compile(r"(?P<stem>.*?)[ _.-]?(?P<side>L|R|left|right)", re.I | re.S)
ROUNDS = 20  # of the search for pairs
ASYMMETRIC = (
    0.1  # of the centroid size: a mean shape whose mirror image is farther off has no pairs
)


@dataclass(frozen=True, eq=False)
class LandmarkPairs:
    """Pairs of landmarks, counted from 0; all others lie on the midline.

    Attributes
    ----------
    pairs : (m, 2) left and right
    count : number of all landmarks
    """

    pairs: IndexArray
    count: int

    def __post_init__(self) -> None:
        numbers = self.pairs.ravel()
        if len(numbers) == 0:
            raise AnalysisError("There is no pair of landmarks, so that no side can be compared.")
        if numbers.min() < 0 or numbers.max() >= self.count:
            raise AnalysisError(
                f"A pair names a landmark that does not exist: there are {self.count}."
            )
        if len(set(numbers.tolist())) < len(numbers):
            found, times = np.unique(numbers, return_counts=True)
            twice = [str(number + 1) for number in found[times > 1]]
            raise AnalysisError(
                f"In several pairs, or paired with itself: {listed('landmark', twice)}. Leave "
                "landmarks of the midline out of the pairs."
            )

    @property
    def midline(self) -> IndexArray:
        """Landmarks that are in no pair."""
        return np.setdiff1d(np.arange(self.count), self.pairs)

    @property
    def order(self) -> IndexArray:
        """Landmark of the other side for each landmark, (count,)."""
        order = np.arange(self.count)
        order[self.pairs[:, 0]], order[self.pairs[:, 1]] = self.pairs[:, 1], self.pairs[:, 0]
        return order


def read_pairs(path: Path, labels: Sequence[str]) -> LandmarkPairs:
    """Read pairs from a table with the columns left and right, as 'gplandmark pairs' writes it.

    Raises
    ------
    LandmarkFileError
        The file cannot be read, or names a landmark that does not exist.
    AnalysisError
        The pairs do not pair.
    """
    rows = read_table(path, COLUMNS, "a table whose first line is 'left,right', with the names or "
                      "numbers of two landmarks in each line")  # fmt: skip
    pairs = [[numbered(row[side], labels, path) for side in COLUMNS] for row in rows]
    try:
        return LandmarkPairs(np.array(pairs, dtype=np.int64), len(labels))
    except AnalysisError as error:
        raise AnalysisError(error.reason, path) from None


def pairs_by_name(labels: Sequence[str]) -> LandmarkPairs | None:
    """Pairs of landmarks whose names differ in L and R only, as 1L and 1R; None if there are none.

    Names may end in L and R or in left and right, also after a space, a dash or an underscore.
    """
    sides: dict[tuple[str, str], int] = {}
    for number, label in enumerate(labels):
        if (found := SIDES.fullmatch(label)) is not None and found["stem"]:
            sides[found["stem"].lower(), found["side"][0].lower()] = number
    pairs = [[at, sides[stem, "r"]] for (stem, side), at in sides.items()
             if side == "l" and (stem, "r") in sides]  # fmt: skip
    return LandmarkPairs(np.array(pairs, dtype=np.int64), len(labels)) if pairs else None


def find_pairs(mean: FloatArray) -> LandmarkPairs:
    """Find the pairs of a symmetric mean shape (k, 3) from the landmarks themselves.

    The mean is mirrored along each of its principal axes in turn, landmarks are assigned to their
    nearest counterparts (the assignment of least squares), and the mirror image is rotated onto
    the mean again, until the assignment stays. The best mirror image counts.

    Raises
    ------
    AnalysisError
        No mirror image fits to 10 % of the centroid size, or landmarks do not pair.
    """
    centred = mean - mean.mean(axis=0)
    centred = centred / np.linalg.norm(centred)
    axes = np.linalg.eigh(centred.T @ centred)[1]
    candidates = [_assigned(centred, axis) for axis in axes.T]
    offset, order = min(candidates, key=lambda each: each[0])
    if offset > ASYMMETRIC or not (order[order] == np.arange(len(mean))).all():
        raise AnalysisError(
            "Pairs of landmarks were not found: the mean shape is not symmetric. Give them with a "
            "table (left,right)."
        )
    pairs = [[one, int(other)] for one, other in enumerate(order) if one < other]
    return LandmarkPairs(np.array(pairs, dtype=np.int64).reshape(-1, 2), len(mean))


def _assigned(centred: FloatArray, axis: FloatArray) -> tuple[float, IndexArray]:
    """Distance to the mirror image along an axis, and the counterpart of each landmark."""
    mirrored = centred - 2 * np.outer(centred @ axis, axis)
    order = np.arange(len(centred))
    for _ in range(ROUNDS):
        squares = np.sum((centred[:, None] - mirrored) ** 2, axis=2)
        found = scipy.optimize.linear_sum_assignment(squares)[1]
        mirrored = mirrored @ best_rotations(mirrored[found], centred, reflect=False)
        if (found == order).all():
            break
        order = found
    return float(np.linalg.norm(mirrored[order] - centred)), order
