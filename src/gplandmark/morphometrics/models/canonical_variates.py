# SPDX-License-Identifier: MIT
"""Canonical variates: the directions that separate groups best, with cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.models.pairwise import checked_groups
from gplandmark.numerics.arrays import FloatArray, IndexArray

EXPLAINED = 0.95  # of the variance, by the principal components that are used by default


@dataclass(frozen=True, eq=False)
class CanonicalVariates:
    """Canonical variates of n specimens in g groups, from c variables.

    Attributes
    ----------
    groups : names of the groups
    scores : (n, a) with the covariance 1 within groups
    axes : (c, a) from centred variables to scores; their signs are arbitrary
    roots : (a,) variance between groups over that within
    mahalanobis : (g, g) distances between the means of groups
    posterior : (n, g) probabilities of the groups
    validated : (n, g) the same with each specimen left out in turn
    members : (n,) number of the group of each specimen
    """

    groups: tuple[str, ...]
    scores: FloatArray
    axes: FloatArray
    roots: FloatArray
    mahalanobis: FloatArray
    posterior: FloatArray
    validated: FloatArray
    members: IndexArray

    @property
    def predicted(self) -> IndexArray:
        """Number of the most probable group of each specimen, left out in turn."""
        return np.asarray(self.validated.argmax(axis=1))

    @property
    def rate(self) -> float:
        """Fraction of specimens that are classified correctly when they are left out."""
        return float(np.mean(self.predicted == self.members))


def components_for(variances: FloatArray, specimens: int, groups: int) -> int:
    """Number of principal components for canonical variates.

    As many as explain 95 % of the variance, but at most half as many as there are specimens minus
    groups: with more, groups separate by chance, and with n - g or more they cannot be estimated.
    """
    fractions = np.cumsum(variances) / np.sum(variances)
    enough = int(np.searchsorted(fractions, EXPLAINED)) + 1
    return max(1, min(enough, (specimens - groups) // 2, len(variances)))


def canonical_variates(variables: FloatArray, groups: Sequence[str]) -> CanonicalVariates:
    """Canonical variate analysis, and classification as lda of MASS does it.

    W and B are the covariances within and between groups, with the divisors n - g and g - 1. Axes a
    solve B a = r W a with a^T W a = 1. A specimen x belongs to group j with a probability
    proportional to n_j exp(-(x - m_j)^T W^-1 (x - m_j) / 2). For cross-validation, W and the means
    are computed without the specimen; the prior n_j is that of the sample.

    Parameters
    ----------
    variables : (n, c), e.g. scores on principal components

    Raises
    ------
    AnalysisError
        There are not two groups of two, or too few specimens for so many variables.
    """
    names = checked_groups(groups)
    count, width = variables.shape
    if count - len(names) < width:
        raise AnalysisError(
            f"Canonical variates of {width} variables need more than {width + len(names) - 1} "
            f"specimens in {len(names)} groups, got {count}. Use fewer components."
        )
    members = np.array([names.index(str(each)) for each in groups])
    sizes = np.bincount(members)
    means = _means(variables, members)
    within = _within(variables, members, means)
    factor = _factor(within)
    priors = sizes / count
    centre = priors @ means
    between = np.sqrt(sizes / (len(names) - 1))[:, None] * (means - centre)
    whitened = scipy.linalg.solve_triangular(factor, between.T, lower=True).T
    _, values, right = np.linalg.svd(whitened, full_matrices=False)
    used = min(len(names) - 1, width)
    axes = scipy.linalg.solve_triangular(factor.T, right[:used].T, lower=False)
    flat = scipy.linalg.solve_triangular(factor, means.T, lower=True).T
    validated = np.array([
        _left_out(variables, members, means, within * (count - len(names)), priors, number)
        for number in range(count)
    ])  # fmt: skip
    return CanonicalVariates(
        names, (variables - centre) @ axes, axes, values[:used] ** 2,
        np.linalg.norm(flat[:, None] - flat, axis=2),
        _posterior(variables, means, factor, priors), validated, members,
    )  # fmt: skip


def _means(variables: FloatArray, members: IndexArray) -> FloatArray:
    return np.array([variables[members == each].mean(axis=0) for each in range(members.max() + 1)])


def _within(variables: FloatArray, members: IndexArray, means: FloatArray) -> FloatArray:
    rest = variables - means[members]
    return np.asarray(rest.T @ rest / (len(variables) - len(means)))


def _factor(within: FloatArray) -> FloatArray:
    """Cholesky factor of the covariance within groups."""
    try:
        return np.asarray(scipy.linalg.cholesky(within, lower=True))
    except scipy.linalg.LinAlgError:
        raise AnalysisError(
            "The variables determine each other within groups, so that canonical variates do not "
            "exist. Use fewer components."
        ) from None


def _posterior(
    points: FloatArray, means: FloatArray, factor: FloatArray, priors: FloatArray
) -> FloatArray:
    """Probabilities (m, g) of groups for points (m, c)."""
    offsets = (points[:, None] - means).reshape(-1, means.shape[1])
    squares = np.sum(scipy.linalg.solve_triangular(factor, offsets.T, lower=True) ** 2, axis=0)
    logs = np.log(priors) - squares.reshape(len(points), -1) / 2
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _left_out(
    variables: FloatArray,
    members: IndexArray,
    means: FloatArray,
    products: FloatArray,
    priors: FloatArray,
    number: int,
) -> FloatArray:
    """Probabilities (g,) of the groups of one specimen, from all others."""
    own = members[number]
    size = int(np.sum(members == own))
    offset = variables[number] - means[own]
    without = means.copy()
    without[own] = means[own] - offset / (size - 1)
    reduced = products - size / (size - 1) * np.outer(offset, offset)
    factor = _factor(reduced / (len(variables) - len(means) - 1))
    return np.asarray(_posterior(variables[number][None], without, factor, priors)[0])
