# SPDX-License-Identifier: MIT
"""Two-block partial least squares: how two sets of variables covary."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.models.anova import PERMUTATIONS
from gplandmark.morphometrics.models.permutation import (
    checked_orders,
    effect_size,
    p_value,
    permutations,
)
from gplandmark.numerics.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class PartialLeastSquares:
    """Covariation of two blocks of variables on n specimens.

    Attributes
    ----------
    correlation : of the first pair of scores, r-PLS
    singular_values : (m,) covariances of the pairs of scores
    first_scores, second_scores : (n, m)
    first_axes, second_axes : (p, m), (q, m) unit vectors; their signs are arbitrary together
    z, p : effect size and p-value of the correlation, with the first block permuted
    random : (1 + permutations,) correlations, the observed one first
    """

    correlation: float
    singular_values: FloatArray
    first_scores: FloatArray
    second_scores: FloatArray
    first_axes: FloatArray
    second_axes: FloatArray
    z: float
    p: float
    random: FloatArray

    @property
    def covariance_fractions(self) -> FloatArray:
        """Fraction of the squared covariance that each pair has, (m,)."""
        squares = self.singular_values**2
        return np.asarray(squares / squares.sum())


def partial_least_squares(
    first: FloatArray,
    second: FloatArray,
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
    orders: IndexArray | None = None,
) -> PartialLeastSquares:
    """Two-block partial least squares (Rohlf and Corti 2000), as two.b.pls of geomorph.

    The singular value decomposition of the covariances X^T Y / (n - 1) of centred blocks gives
    pairs of axes with the largest covariance of scores.

    Parameters
    ----------
    first, second : (n, p), (n, q) or arrays of landmarks (n, k, d)

    Raises
    ------
    AnalysisError
        The blocks have different specimens, fewer than three, or one does not vary.
    """
    one, two = _centred(first), _centred(second)
    if len(one) != len(two) or len(one) < 3:
        raise AnalysisError(
            "Both blocks need the same specimens, at least three of them, got "
            f"{len(one)} and {len(two)}."
        )
    if not one.any() or not two.any():
        raise AnalysisError("A block does not vary, so that it cannot covary with the other.")
    shuffled = (checked_orders(orders, len(one)) if orders is not None
                else permutations(len(one), permutations_of, seed))  # fmt: skip
    # Axes lie in the span of the specimens: with fewer of them, the problem is as small.
    small, large = _compact(one), _compact(two)
    random = np.array([_correlation(small[order], large) for order in shuffled])
    left, values, right = np.linalg.svd(one.T @ two / (len(one) - 1), full_matrices=False)
    return PartialLeastSquares(
        float(random[0]), values, one @ left, two @ right.T, left, right.T,
        effect_size(random), p_value(random), random,
    )  # fmt: skip


def _centred(block: FloatArray) -> FloatArray:
    table = np.asarray(block, dtype=np.float64).reshape(len(block), -1)
    return np.asarray(table - table.mean(axis=0))


def _compact(block: FloatArray) -> FloatArray:
    """Rows with the same inner products, in as few coordinates as there are specimens."""
    if block.shape[1] <= len(block):
        return block
    left, sizes, _ = np.linalg.svd(block, full_matrices=False)
    return np.asarray(left * sizes)


def _correlation(one: FloatArray, two: FloatArray) -> float:
    left, _, right = np.linalg.svd(one.T @ two, full_matrices=False)
    return float(np.corrcoef(one @ left[:, 0], two @ right[0])[0, 1])
