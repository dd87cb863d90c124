# SPDX-License-Identifier: MIT
"""Differences between every two groups: of their mean shapes and of their slopes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.models.anova import PERMUTATIONS, checked_shapes
from gplandmark.morphometrics.models.design_matrix import Design, basis, least_squares_map
from gplandmark.morphometrics.models.permutation import (
    checked_orders,
    effect_size,
    p_value,
    permutations,
)
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray

CONFIDENCE = 0.95  # of the limit that random distances stay below


@dataclass(frozen=True, eq=False)
class PairwiseMeans:
    """Distances between mean shapes of groups, adjusted for the other terms of the model.

    Attributes
    ----------
    groups : their g names
    means : (g, p) least-squares means: covariates at their means
    distances : (g, g) Procrustes distances between them
    limits : (g, g) that 95 % of the random distances do not exceed
    z, p : (g, g) effect sizes and p-values; NaN on the diagonal of z
    """

    groups: tuple[str, ...]
    means: FloatArray
    distances: FloatArray
    limits: FloatArray
    z: FloatArray
    p: FloatArray


def pairwise_means(
    shapes: FloatArray,
    design: Design,
    null: Design,
    groups: Sequence[str],
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
    orders: IndexArray | None = None,
) -> PairwiseMeans:
    """Compare the mean shapes of groups, as pairwise of RRPP does.

    The residuals of the null model, without the groups, are permuted and added to its fitted
    values, and the least-squares means of the full model are computed again.

    Raises
    ------
    AnalysisError
        There are not two groups, or one has a single member.
    """
    table = checked_shapes(shapes, len(design))
    names = checked_groups(groups)
    rows = design.at({each: np.full(len(design), design.values[each].mean())
                      for each in design.covariates})  # fmt: skip
    members = np.array([[each == name for each in groups] for name in names], dtype=np.float64)
    takes = least_squares_map(design, members / members.sum(axis=1, keepdims=True) @ rows)
    shuffled = (checked_orders(orders, len(table)) if orders is not None
                else permutations(len(table), permutations_of, seed))  # fmt: skip
    low = basis(null.columns)
    fitted = low @ (low.T @ table)
    rest, kept = table - fitted, takes @ fitted
    random = np.stack([_distances(kept + takes[:, np.argsort(order)] @ rest) for order in shuffled])
    return PairwiseMeans(
        names, takes @ table, random[0], np.quantile(random, CONFIDENCE, axis=0),
        *_tests(random),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PairwiseSlopes:
    """How differently the shapes of groups change with a covariate.

    Attributes
    ----------
    groups : their g names
    slopes : (g, p) change of shape per unit of the covariate
    lengths : (g,) amounts of change
    distances : (g, g) between slopes
    correlations : (g, g) cosines of the angles between slopes
    """

    groups: tuple[str, ...]
    slopes: FloatArray
    lengths: FloatArray
    distances: FloatArray
    correlations: FloatArray

    @property
    def angles(self) -> FloatArray:
        """Angles between slopes, (g, g), in degrees."""
        return np.asarray(np.degrees(np.arccos(np.clip(self.correlations, -1, 1))))


def pairwise_slopes(
    shapes: FloatArray, design: Design, groups: Sequence[str], covariate: str
) -> PairwiseSlopes:
    """Compare the changes of shape with a covariate, e.g. size, between groups.

    Raises
    ------
    AnalysisError
        The covariate is not in the model, or there are not two groups of two.
    """
    if covariate not in design.covariates:
        raise AnalysisError(f"The model has no covariate {covariate}.")
    table = checked_shapes(shapes, len(design))
    names = checked_groups(groups)
    values = design.values[covariate]
    step = design.at({covariate: values + 1.0}) - design.columns
    members = np.array([[each == name for each in groups] for name in names], dtype=np.float64)
    slopes = least_squares_map(design, members / members.sum(axis=1, keepdims=True) @ step) @ table
    lengths = np.linalg.norm(slopes, axis=1)
    return PairwiseSlopes(
        names, slopes, lengths, _distances(slopes),
        slopes @ slopes.T / np.outer(lengths, lengths),
    )  # fmt: skip


def checked_groups(groups: Sequence[str] | npt.NDArray[np.str_]) -> tuple[str, ...]:
    """Names of groups in order, once there are two and each has two members.

    Raises
    ------
    AnalysisError
        There are not.
    """
    names, sizes = np.unique(np.asarray(groups), return_counts=True)
    if len(names) < 2:
        raise AnalysisError(f"Groups can be compared only if there are two, got {len(names)}.")
    if sizes.min() < 2:
        alone = [str(name) for name, size in zip(names, sizes, strict=True) if size < 2]
        raise AnalysisError(
            f"Group {alone[0]} has one member, and at least two are needed. Leave it out, or join "
            "it with another group."
        )
    return tuple(map(str, names))


def _distances(rows: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(rows[:, None] - rows, axis=2))


def _tests(random: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Effect sizes and p-values (g, g) of random distances (1 + m, g, g)."""
    count = random.shape[1]
    z, p = np.full((count, count), np.nan), np.ones((count, count))
    for one in range(count):
        for other in range(one):
            values = random[:, one, other]
            z[one, other] = z[other, one] = effect_size(values)
            p[one, other] = p[other, one] = p_value(values)
    return z, p
