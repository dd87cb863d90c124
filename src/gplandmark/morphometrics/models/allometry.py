# SPDX-License-Identifier: MIT
"""Allometry: how shape depends on size, and shapes without this dependence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.models.anova import Anova
from gplandmark.morphometrics.models.design_matrix import Design
from gplandmark.numerics.arrays import FloatArray

SIZE = "size"  # name of log centroid size in formulas


@dataclass(frozen=True, eq=False)
class Allometry:
    """Scores of n specimens that show how shape changes with size.

    Attributes
    ----------
    size : (n,) logarithm of centroid size
    regression_scores : (n,) projection of shapes on the direction of the regression on size
        (Drake and Klingenberg 2008)
    predicted_scores : (n,) first principal component of the fitted values (Adams and Nistri 2010)
    common_component : (n,) common allometric component (Mitteroecker et al. 2004): scores along
        the regression of shape on size alone
    residual_components : (n, m) principal components of what the common component leaves
    direction : (p,) change of shape per unit of log size, in the model
    fitted_scores : (n,) projection of the fitted values on the direction of the regression: lines
        over size, parallel where the model has one slope for all groups
    """

    size: FloatArray
    regression_scores: FloatArray
    predicted_scores: FloatArray
    common_component: FloatArray
    residual_components: FloatArray
    direction: FloatArray
    fitted_scores: FloatArray


def allometry(
    shapes: FloatArray,
    model: Anova,
    size: FloatArray,
    covariate: str = SIZE,
    groups: Sequence[str] | None = None,
) -> Allometry:
    """Return the scores of allometry of a model that has size as a covariate.

    Parameters
    ----------
    shapes : (n, p) or (n, k, d), those of the model
    size : (n,) logarithm of centroid size
    covariate : name of the term
    groups : (n,) groups whose means are taken out of shapes and sizes for the common component, as
        Mitteroecker et al. and CAC of Morpho do; by default groups are ignored, as in geomorph

    Raises
    ------
    AnalysisError
        The model does not have this term, or all specimens have the same size.
    """
    table = np.asarray(shapes, dtype=np.float64).reshape(len(shapes), -1)
    centred = table - table.mean(axis=0)
    slopes = model.coefficients[model.design.labels.index(_column(model.design, covariate))]
    within, offsets = (_without_means(each, groups) for each in (table, size))
    if not np.any(offsets):
        raise AnalysisError("All specimens have the same size: there is no allometry to see.")
    common = within.T @ offsets
    common = common / np.linalg.norm(common)
    along = within @ common
    rest = within - along[:, None] * common
    fitted = model.fitted - model.fitted.mean(axis=0)
    unit = slopes / np.linalg.norm(slopes)
    return Allometry(
        size,
        centred @ unit,
        _component_scores(fitted)[:, 0],
        along,
        _component_scores(rest),
        slopes,
        fitted @ unit,
    )


def size_corrected(shapes: FloatArray, model: Anova, covariate: str = SIZE) -> FloatArray:
    """Shapes that the specimens would have at the mean of a covariate, shaped as given.

    Y - (prediction at its own size - prediction at the mean size): what the model says of groups
    stays, and so does what it does not explain.

    Raises
    ------
    AnalysisError
        The model does not have this term.
    """
    _column(model.design, covariate)
    values = model.design.values[covariate]
    at_mean = model.design.at({covariate: np.full(len(values), values.mean())})
    change = (model.design.columns - at_mean) @ model.coefficients
    return np.asarray(shapes - change.reshape(np.shape(shapes)))


def _column(design: Design, covariate: str) -> str:
    if covariate not in design.covariates or covariate not in design.labels:
        raise AnalysisError(
            f"The model has no covariate {covariate}. Its terms are {', '.join(design.names)}."
        )
    return covariate


def _without_means(values: FloatArray, groups: Sequence[str] | None) -> FloatArray:
    """Values (n, ...) less the mean of their group, or of all."""
    members = np.array(["all"] * len(values) if groups is None else groups)
    rest: FloatArray = values.copy()
    for each in np.unique(members):
        rest[members == each] -= values[members == each].mean(axis=0)
    return rest


def _component_scores(table: FloatArray) -> FloatArray:
    """Scores on the principal components of centred rows; the sign of each is arbitrary."""
    left, sizes, _ = np.linalg.svd(table, full_matrices=False)
    return np.asarray(left * sizes)
