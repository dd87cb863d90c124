# SPDX-License-Identifier: MIT
"""Groups of specimens: read from a table, classified by nearest neighbours, tested by MRPP."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gplandmark.errors import AnalysisError, LandmarkFileError, SettingsError, warn
from gplandmark.io.formatting import full_names, listed
from gplandmark.io.named_tables import read_table
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

COLUMNS = ("specimen", "group")
PERMUTATIONS = 9999
BATCH = 200  # permutations in one matrix product
EQUAL = 1e-12  # relative: sums of the same distances in another order


def read_groups(path: Path) -> dict[str, str | None]:
    """Read the group of every specimen from a table with the columns specimen and group.

    Columns are separated by commas, semicolons or tabs. A blank group is None.

    Raises
    ------
    LandmarkFileError
        The file cannot be read, lacks a column, or has two groups for one specimen.
    """
    expected = "a table whose first line is 'specimen,group', and a line for each specimen"
    groups: dict[str, str | None] = {}
    for row in read_table(path, COLUMNS, expected):
        name, group = (row[column] for column in COLUMNS)
        if name and groups.setdefault(name, group or None) != (group or None):
            raise LandmarkFileError(f"{path} has two groups for {name}. Keep one of the lines.")
    return groups


def groups_of(names: Sequence[str], groups: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Group of each specimen; None, with a warning, if not in the table.

    The table may call the specimen ``site/a`` just ``a`` if there is only one.

    Raises
    ------
    AnalysisError
        The table has no group for any of them.
    """
    full = full_names(names)
    groups = {
        name if name in names else full.get(name, name): group for name, group in groups.items()
    }
    unknown = [name for name in names if groups.get(name) is None]
    others = [name for name in groups if name not in names]
    if len(unknown) == len(names):
        found = f"The table has {listed('specimen', others)}" if others else "The table is blank"
        raise AnalysisError(
            f"No group is known for any specimen. {found}; the landmarks are of "
            f"{listed('specimen', names)}. The names must be the same."
        )
    if unknown:
        warn(f"No group is given for {listed('specimen', unknown)}: classified, but not tested.")
    if others:
        warn(f"The table of groups names {listed('specimen', others)}, for which there are no "
             "landmarks.")  # fmt: skip
    return tuple(groups.get(name) for name in names)


@dataclass(frozen=True, eq=False)
class Classification:
    """Leave-one-out classification of s specimens by their nearest neighbours.

    Attributes
    ----------
    groups : of the specimens; None where unknown
    nearest : (s,) index of the nearest other specimen that has a group; the first of equals
    distances : (s,) to it
    counted : (s,) which have a group with another member, and so can be classified correctly
    """

    groups: tuple[str | None, ...]
    nearest: IndexArray
    distances: FloatArray
    counted: BoolArray

    @property
    def predicted(self) -> tuple[str | None, ...]:
        """Group of the nearest neighbour of each."""
        return tuple(self.groups[number] for number in self.nearest)

    @property
    def correct(self) -> BoolArray:
        """Which of those that count are classified correctly, (s,)."""
        same = [own == other for own, other in zip(self.groups, self.predicted, strict=True)]
        return np.asarray(np.array(same) & self.counted)

    @property
    def rate(self) -> float:
        """Fraction classified correctly of those that count."""
        return float(self.correct.sum() / self.counted.sum())

    @property
    def chance(self) -> float:
        """The rate for a neighbour drawn at random: mean of (n_g - 1) / (s - 1).

        Here s counts the specimens with a group, and n_g those of the specimen's own group.
        """
        sizes = group_sizes(self.groups)
        own = [sizes[group] - 1 for group, used in zip(self.groups, self.counted, strict=True)
               if group is not None and used]  # fmt: skip
        return float(np.mean(own) / (sizes.total() - 1))


def nearest_neighbour(distances: FloatArray, groups: Sequence[str | None]) -> Classification:
    """Classify every specimen, left out in turn, by its nearest neighbour.

    The predicted group of i is that of argmin over j != i of d_ij, j over the specimens that have
    a group. Specimens without a group are classified, too. Only groups of two or more count.

    Raises
    ------
    AnalysisError
        No group has two members, or there is not one group per specimen.
    """
    if distances.shape != (len(groups), len(groups)):
        raise AnalysisError(f"Expected {len(distances)} groups, one per specimen, "
                            f"got {len(groups)}.")  # fmt: skip
    sizes = group_sizes(groups)
    counted = np.array([group is not None and sizes[group] > 1 for group in groups])
    if not counted.any():
        raise AnalysisError("No group has two members, so neighbours cannot classify any specimen.")
    unknown = np.array([group is None for group in groups])
    others = np.where(np.eye(len(distances), dtype=bool) | unknown, np.inf, distances)
    nearest = others.argmin(axis=1)
    return Classification(tuple(groups), nearest, others[np.arange(len(others)), nearest], counted)


@dataclass(frozen=True)
class Mrpp:
    """Result of the multi-response permutation procedure.

    Attributes
    ----------
    delta : mean distance within groups, each weighted by its number of members
    expected : its mean over all permutations
    agreement : A = 1 - delta / expected; 1 if members are identical, 0 by chance
    p_value : fraction of permutations, the given one included, whose delta is not larger
    within : for each group that took part, its size and its mean distance
    permutations : their number
    seed : of the random permutations
    """

    delta: float
    expected: float
    agreement: float
    p_value: float
    within: dict[str, tuple[int, float]]
    permutations: int
    seed: int


def mrpp(
    distances: FloatArray,
    groups: Sequence[str | None],
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Mrpp:
    """Multi-response permutation procedure (Mielke and Berry 2001).

    delta = sum_g (n_g / N) dbar_g, with dbar_g the mean of d_ij over pairs within group g.
    Specimens without a group and groups of one take no part. Over all permutations of the N
    specimens the mean of delta is exactly the mean of all d_ij, so that A = 1 - delta / mean(d).
    The given order counts as a permutation: p = (1 + #{delta_perm <= delta}) / (1 + permutations).

    Raises
    ------
    AnalysisError
        Fewer than two groups have two members, or all distances are 0.
    SettingsError
        The number of permutations is below 1, or the seed negative.
    """
    if permutations < 1 or seed < 0:
        raise SettingsError("The number of permutations must be at least 1 and the seed at least "
                            f"0, got {permutations} and {seed}.")  # fmt: skip
    sizes = group_sizes(groups)
    names = sorted(name for name, size in sizes.items() if size > 1)
    if len(names) < 2:
        raise AnalysisError(f"MRPP needs two groups of at least two members, got {len(names)}.")
    used = [number for number, group in enumerate(groups) if group in names]
    codes = np.array([names.index(str(groups[number])) for number in used])
    tested = distances[np.ix_(used, used)]
    expected = float(tested.sum() / (len(used) * (len(used) - 1)))
    if expected == 0:
        raise AnalysisError("All specimens have the same shape: groups cannot be distinguished.")
    means = _within(tested, codes[None], len(names))[0]
    weights = np.bincount(codes) / len(codes)
    delta = float(means @ weights)
    random = np.random.default_rng(seed)
    below = 0
    for start in range(0, permutations, BATCH):
        count = min(BATCH, permutations - start)
        drawn = random.permuted(np.tile(codes, (count, 1)), axis=1)
        below += int(np.sum(_within(tested, drawn, len(names)) @ weights <= delta * (1 + EQUAL)))
    return Mrpp(
        delta, expected, 1 - delta / expected, (1 + below) / (1 + permutations),
        {name: (sizes[name], float(mean)) for name, mean in zip(names, means, strict=True)},
        permutations, seed,
    )  # fmt: skip


def group_sizes(groups: Sequence[str | None]) -> Counter[str]:
    """Number of members of each group."""
    return Counter(group for group in groups if group is not None)


def _within(distances: FloatArray, codes: IndexArray, count: int) -> FloatArray:
    """Mean distance within each group, (p, count), for p assignments (p, N) of N specimens."""
    means = np.zeros((len(codes), count))
    for group in range(count):
        members = (codes == group).astype(np.float64)
        sums = np.einsum("pi,pi->p", members @ distances, members)
        size = members[0].sum()
        means[:, group] = sums / (size * (size - 1))
    return means
