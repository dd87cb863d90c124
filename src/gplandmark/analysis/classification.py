# SPDX-License-Identifier: MIT
"""Whether the specimen most like another is of the same group."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import AnalysisError

__all__ = ["Classification", "nearest_neighbour"]


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
