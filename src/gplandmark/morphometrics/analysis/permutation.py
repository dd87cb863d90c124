# SPDX-License-Identifier: MIT
"""Whether members of a group are more alike than chance would have it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["PERMUTATIONS", "Mrpp", "mrpp"]

PERMUTATIONS = 9999
AT_ONCE = 200  # permutations in one product
EQUAL = 1e-12  # relative: sums of the same distances in another order


@dataclass(frozen=True)
class Mrpp:
    """Result of the multi-response permutation procedure.

    Attributes
    ----------
    delta : mean distance within groups, each weighted by its members
    expected : its mean over all permutations
    agreement : A = 1 - delta / expected; 1 if members are identical, 0 by chance
    p_value : share of permutations, with the given one, whose delta is not larger
    within : for each group that took part, its size and its mean distance
    permutations : how many were drawn
    seed : they were drawn with
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

    delta = sum_g (n_g / N) dbar_g, dbar_g the mean of d_ij over pairs within group g; specimens
    without a group and groups of one take no part. Under permutations of the N specimens the
    mean of delta is exactly the mean of all d_ij, so that A = 1 - delta / mean(d). p counts the
    given order too: (1 + #{delta_perm <= delta}) / (1 + permutations).

    Raises
    ------
    AnalysisError
        Fewer than two groups have two members, or all distances are 0.
    SettingsError
        The number of permutations is below 1, or the seed negative.
    """
    if permutations < 1 or seed < 0:
        raise SettingsError(
            f"The number of permutations must be at least 1 and the seed at least 0, "
            f"got {permutations} and {seed}."
        )
    sizes = Counter(group for group in groups if group is not None)
    names = sorted(name for name, size in sizes.items() if size > 1)
    if len(names) < 2:
        raise AnalysisError(
            f"A permutation test needs two groups of two members at least, got {len(names)}."
        )
    used = [number for number, group in enumerate(groups) if group in names]
    codes = np.array([names.index(str(groups[number])) for number in used])
    chosen = distances[np.ix_(used, used)]
    expected = float(chosen.sum() / (len(used) * (len(used) - 1)))
    if expected == 0:
        raise AnalysisError("All specimens have the same shape: groups cannot be told apart.")
    means = _within(chosen, codes[None], len(names))[0]
    shares = np.bincount(codes) / len(codes)
    delta = float(means @ shares)
    random = np.random.default_rng(seed)
    below = 0
    for start in range(0, permutations, AT_ONCE):
        count = min(AT_ONCE, permutations - start)
        drawn = random.permuted(np.tile(codes, (count, 1)), axis=1)
        below += int(np.sum(_within(chosen, drawn, len(names)) @ shares <= delta * (1 + EQUAL)))
    return Mrpp(
        delta, expected, 1 - delta / expected, (1 + below) / (1 + permutations),
        {name: (sizes[name], float(mean)) for name, mean in zip(names, means, strict=True)},
        permutations, seed,
    )  # fmt: skip


def _within(distances: FloatArray, codes: IndexArray, count: int) -> FloatArray:
    """Mean distance within each group, (p, count), for p ways (p, N) to share out N specimens."""
    means = np.zeros((len(codes), count))
    for group in range(count):
        members = (codes == group).astype(np.float64)
        sums = np.einsum("pi,pi->p", members @ distances, members)
        size = members[0].sum()
        means[:, group] = sums / (size * (size - 1))
    return means
