# SPDX-License-Identifier: MIT
"""Morphological disparity: how much the shapes of a group vary."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.models.anova import PERMUTATIONS, checked_shapes
from gplandmark.morphometrics.models.design_matrix import Design, basis
from gplandmark.morphometrics.models.pairwise import checked_groups
from gplandmark.morphometrics.models.permutation import checked_orders, p_value, permutations
from gplandmark.numerics.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Disparity:
    """Procrustes variances of groups.

    Attributes
    ----------
    groups : their g names
    overall : mean squared residual of all specimens
    variances : (g,) mean squared residual of each group
    partial : (g,) their parts of the variance of the sample: sums over N - 1 (Foote 1993)
    differences : (g, g) absolute differences of variances
    p : (g, g) fraction of permutations with a difference that is not smaller
    random : (1 + m, g, g) differences for every permutation, the observed ones first
    """

    groups: tuple[str, ...]
    overall: float
    variances: FloatArray
    partial: FloatArray
    differences: FloatArray
    p: FloatArray
    random: FloatArray


def disparity(
    shapes: FloatArray,
    groups: Sequence[str],
    design: Design | None = None,
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
    orders: IndexArray | None = None,
) -> Disparity:
    """Compare the variances of groups about a model, as morphol.disparity of geomorph does.

    Without a model they are about the mean of all specimens; with ``shape ~ group`` each is about
    the mean of its own group. The divisor is the size of the group. For the test, residuals are
    permuted between specimens.

    Raises
    ------
    AnalysisError
        There are not two groups of two.
    """
    table = checked_shapes(shapes, len(groups))
    names = checked_groups(groups)
    low = basis(np.ones((len(table), 1)) if design is None else design.columns)
    squares = np.sum((table - low @ (low.T @ table)) ** 2, axis=1)
    members = np.array([[each == name for each in groups] for name in names], dtype=np.float64)
    shuffled = (checked_orders(orders, len(table)) if orders is not None
                else permutations(len(table), permutations_of, seed))  # fmt: skip
    each = squares[shuffled] @ members.T / members.sum(axis=1)  # (1 + m, g)
    random = np.abs(each[:, :, None] - each[:, None, :])
    p = np.array([[p_value(random[:, i, j]) for j in range(len(names))] for i in range(len(names))])
    return Disparity(
        names, float(squares.mean()), each[0], members @ squares / (len(table) - 1), random[0], p,
        random,
    )  # fmt: skip
