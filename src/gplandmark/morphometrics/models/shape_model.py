# SPDX-License-Identifier: MIT
"""A model of shape and all that follows from it, in one call."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np

from gplandmark.errors import AnalysisError, GplandmarkError, warn
from gplandmark.morphometrics.analysis import Analysis
from gplandmark.morphometrics.models.allometry import SIZE, Allometry, allometry, size_corrected
from gplandmark.morphometrics.models.anova import Anova, SumsOfSquares, shape_anova
from gplandmark.morphometrics.models.canonical_variates import (
    CanonicalVariates,
    canonical_variates,
    components_for,
)
from gplandmark.morphometrics.models.design_matrix import Design, design_of
from gplandmark.morphometrics.models.disparity import Disparity, disparity
from gplandmark.morphometrics.models.pairwise import (
    PairwiseMeans,
    PairwiseSlopes,
    pairwise_means,
    pairwise_slopes,
)
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray

GROUP = "group"  # name of the groups in formulas
FEWEST_ORDERS = 20  # that allow p = 0.05


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """A model of shape, and what it says of size and groups.

    Attributes
    ----------
    anova : the model and its tests
    allometry, corrected : scores, and shapes (s, k, 3) at the mean size; None without size in it
    pairwise, disparity, canonical : of groups; None without groups in the model
    slopes : of groups; None without an interaction of size and groups
    groups : of the specimens; empty without groups in the model
    components : number of principal components of the canonical variates
    """

    anova: Anova
    allometry: Allometry | None = None
    corrected: FloatArray | None = None
    pairwise: PairwiseMeans | None = None
    slopes: PairwiseSlopes | None = None
    disparity: Disparity | None = None
    canonical: CanonicalVariates | None = None
    groups: tuple[str, ...] = ()
    components: int = 0


def model_shapes(
    analysis: Analysis,
    formula: str,
    covariates: Mapping[str, npt.NDArray[Any]] | None = None,
    *,
    kind: SumsOfSquares = "I",
    permutations: int,
    seed: int = 0,
) -> ShapeModel:
    """Fit a model to the shapes of an analysis, and compute what follows from it.

    A formula may use size (the natural logarithm of centroid size), centroid_size, group and the
    covariates. With size in the model there is allometry; with group there are pairwise
    differences, disparity about the means of groups, and canonical variates.

    Raises
    ------
    AnalysisError
        The model cannot be fitted; see `design_of` and `shape_anova`.
    """
    aligned = analysis.aligned
    if aligned.keep_size:
        raise AnalysisError("A model is of shape without size. Leave out --keep-size.")
    shapes = aligned.tangent_coordinates()
    size = np.log(aligned.centroid_sizes)
    variables: dict[str, Any] = {SIZE: size, "centroid_size": aligned.centroid_sizes}
    if analysis.groups:
        variables[GROUP] = np.array([each or "" for each in analysis.groups])
    variables |= covariates or {}
    design = design_of(formula, variables, aligned.names)
    anova = shape_anova(shapes, design, kind, permutations_of=permutations, seed=seed)
    orders = factorial(len(shapes))
    if orders <= permutations:
        few = " Such a test shows nothing." if orders < FEWEST_ORDERS else ""
        warn(
            f"Permutation tests of the model: {len(shapes)} specimens have only {orders} orders, "
            f"so that p cannot be below {1 / orders:.2g}.{few}"
        )
    found: dict[str, Any] = {}
    if SIZE in design.names:
        found["allometry"] = allometry(shapes, anova, size)
        found["corrected"] = size_corrected(shapes, anova)
    if GROUP in design.names:
        found |= _of_groups(analysis, shapes, design, variables, permutations, seed)
    return ShapeModel(anova, **found)


def _of_groups(
    analysis: Analysis,
    shapes: FloatArray,
    design: Design,
    variables: Mapping[str, Any],
    permutations: int,
    seed: int,
) -> dict[str, Any]:
    """What the model says of groups; a note says what cannot be computed."""
    groups = [str(each) for each in design.values[GROUP]]
    names = analysis.aligned.names
    rest = [name for name, own in zip(design.names, design.factors, strict=True)
            if GROUP not in own]  # fmt: skip
    null = design_of(f"shape ~ {' + '.join(rest) or '1'}", variables, names)
    alone = design_of("shape ~ group", variables, names)
    options: dict[str, Any] = {"permutations_of": permutations, "seed": seed}
    found: dict[str, Any] = {"groups": tuple(groups)}
    try:
        found["pairwise"] = pairwise_means(shapes, design, null, groups, **options)
        found["disparity"] = disparity(shapes, groups, alone, **options)
        if frozenset({SIZE, GROUP}) in design.factors:
            found["slopes"] = pairwise_slopes(shapes, design, groups, SIZE)
        parts = analysis.components
        count = components_for(parts.variances, len(names), len(set(groups)))
        found["canonical"] = canonical_variates(parts.scores[:, :count], groups)
        found["components"] = count
    except GplandmarkError as error:
        warn(f"Groups are not compared with each other: {error}")
    return found
