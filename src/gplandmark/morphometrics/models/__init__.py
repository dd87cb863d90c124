# SPDX-License-Identifier: MIT
"""Linear models of shape, tested by permutation; import from this package.

`design_of` reads a formula such as ``shape ~ size + group``, `shape_anova` fits and tests it.
The rest answers the questions that follow: allometry, differences of groups, disparity,
discrimination, covariation.
"""

from gplandmark.morphometrics.models.allometry import Allometry, allometry, size_corrected
from gplandmark.morphometrics.models.anova import Anova, shape_anova
from gplandmark.morphometrics.models.canonical_variates import (
    CanonicalVariates,
    canonical_variates,
)
from gplandmark.morphometrics.models.design_matrix import Design, design_of
from gplandmark.morphometrics.models.disparity import Disparity, disparity
from gplandmark.morphometrics.models.pairwise import (
    PairwiseMeans,
    PairwiseSlopes,
    pairwise_means,
    pairwise_slopes,
)
from gplandmark.morphometrics.models.partial_least_squares import (
    PartialLeastSquares,
    partial_least_squares,
)

__all__ = [
    "Allometry",
    "Anova",
    "CanonicalVariates",
    "Design",
    "Disparity",
    "PairwiseMeans",
    "PairwiseSlopes",
    "PartialLeastSquares",
    "allometry",
    "canonical_variates",
    "design_of",
    "disparity",
    "pairwise_means",
    "pairwise_slopes",
    "partial_least_squares",
    "shape_anova",
    "size_corrected",
]
