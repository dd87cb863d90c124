# SPDX-License-Identifier: MIT
"""Tables of a model of shape, each the text of a .csv file."""

from collections.abc import Sequence

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.io.landmark_formats.csv_wide import text as wide_text
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import Analysis
from gplandmark.morphometrics.models.anova import Anova
from gplandmark.morphometrics.models.shape_model import ShapeModel

MODEL_TABLES = {
    "anova.csv": "analysis of variance of shape",
    "coefficients.csv": "coefficients of the model, a row for each column of the design",
    "allometry.csv": "size and scores of allometry",
    "size-corrected.wide.csv": "shapes at the mean size, a landmark file to continue with",
    "pairwise.csv": "differences between mean shapes of every two groups, and their slopes",
    "disparity.csv": "Procrustes variance of each group",
    "disparity-pairs.csv": "differences of Procrustes variances",
    "canonical-variates.csv": "canonical variates, and the group predicted when left out",
    "mahalanobis.csv": "Mahalanobis distances between groups",
}
"""Contents of each table; those that a model does not have are not written."""


def model_table_texts(model: ShapeModel, analysis: Analysis) -> dict[str, str]:
    """Texts of all tables, by name."""
    names = analysis.aligned.names
    texts = {
        "anova.csv": anova_text(model.anova),
        "coefficients.csv": _coefficients(model.anova, analysis.aligned.labels),
    }
    if (found := model.allometry) is not None:
        texts["allometry.csv"] = table_text(
            ("specimen", "log_centroid_size", "regression_score", "predicted_score",
             "common_allometric_component"),
            zip(names, found.size, found.regression_scores, found.predicted_scores,
                found.common_component, strict=True),
        )  # fmt: skip
    if model.corrected is not None:
        shapes = zip(names, model.corrected, strict=True)
        texts["size-corrected.wide.csv"] = wide_text(
            [Landmarks.at(each, name, labels=analysis.aligned.labels) for name, each in shapes]
        )
    return texts | _of_groups(model, names)


def anova_text(anova: Anova) -> str:
    """Table of an analysis of variance."""
    rows: list[Sequence[object]] = [
        (each.name, each.df, each.sum_of_squares, each.mean_square, each.r_squared,
         *(None if np.isnan(value) else value for value in (each.f, each.z, each.p)))
        for each in anova.effects
    ]  # fmt: skip
    if anova.residual_df > 0:
        left = anova.residual_sum_of_squares
        rows.append(("residuals", anova.residual_df, left, anova.residual_mean_square,
                     left / anova.total_sum_of_squares, None, None, None))  # fmt: skip
    total = sum(each.df for each in anova.effects) + anova.residual_df
    rows.append(("total", total, anova.total_sum_of_squares, None, None, None, None, None))
    return table_text(("term", "df", "ss", "ms", "r2", "f", "z", "p_value"), rows)


def _coefficients(anova: Anova, labels: Sequence[str]) -> str:
    axes = [f"{label}_{axis}" for label in labels for axis in "XYZ"]
    rows = zip(anova.design.labels, anova.coefficients, strict=True)
    return table_text(("column", *axes), ([name, *row] for name, row in rows))


def _of_groups(model: ShapeModel, names: Sequence[str]) -> dict[str, str]:
    texts = {}
    if (pairs := model.pairwise) is not None:
        slopes = model.slopes
        corner = list(zip(*np.triu_indices(len(pairs.groups), 1), strict=True))
        texts["pairwise.csv"] = table_text(
            ("group", "other", "distance", "limit_95", "z", "p_value",
             *(() if slopes is None else ("slope_distance", "slope_angle_degrees"))),
            (
                (pairs.groups[i], pairs.groups[j], pairs.distances[i, j], pairs.limits[i, j],
                 pairs.z[i, j], pairs.p[i, j],
                 *(() if slopes is None else (slopes.distances[i, j], slopes.angles[i, j])))
                for i, j in corner
            ),
        )  # fmt: skip
    if (spread := model.disparity) is not None:
        sizes = [model.groups.count(each) for each in spread.groups]
        texts["disparity.csv"] = table_text(
            ("group", "members", "procrustes_variance", "partial_disparity"),
            zip(spread.groups, sizes, spread.variances, spread.partial, strict=True),
        )
        texts["disparity-pairs.csv"] = table_text(
            ("group", "other", "difference", "p_value"),
            (
                (spread.groups[i], spread.groups[j], spread.differences[i, j], spread.p[i, j])
                for i, j in zip(*np.triu_indices(len(spread.groups), 1), strict=True)
            ),
        )
    if (found := model.canonical) is not None:
        count = found.scores.shape[1]
        texts["canonical-variates.csv"] = table_text(
            ("specimen", "group", "predicted", *(f"CV{at + 1}" for at in range(count))),
            (
                (name, found.groups[own], found.groups[other], *row)
                for name, own, other, row in zip(
                    names, found.members, found.predicted, found.scores, strict=True)
            ),
        )  # fmt: skip
        texts["mahalanobis.csv"] = table_text(
            ("group", *found.groups),
            ((name, *row) for name, row in zip(found.groups, found.mahalanobis, strict=True)),
        )
    return texts
