# SPDX-License-Identifier: MIT
"""What the report of an analysis says of a model of shape: sentences, tables and pictures."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.io.formatting import counted, joined
from gplandmark.morphometrics.analysis import Analysis
from gplandmark.morphometrics.models import Anova, CanonicalVariates, Disparity, PairwiseMeans
from gplandmark.morphometrics.models.anova import Effect
from gplandmark.morphometrics.models.model_tables import MODEL_TABLES, model_table_texts
from gplandmark.morphometrics.models.shape_model import ShapeModel
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.charts.model_charts import (
    allometry_chart,
    canonical_chart,
    disparity_chart,
)
from gplandmark.visual.html_page import Section, data_table, paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODEL_PICTURES = {
    "allometry": "Shape against size: projections of the shapes on the direction in which shape "
    "changes with size in the model. Lines are what the model predicts for the groups.",
    "canonical-variates": "Specimens by canonical variates, which separate the groups best. "
    "Distances are Mahalanobis distances.",
    "disparity": "Disparity: mean squared Procrustes distance to the mean shape of the group.",
}
KINDS = {
    "I": "each term after those before it",
    "II": "each term after those that do not contain it",
    "III": "each term after all others",
}


def model_supplement(model: ShapeModel, analysis: Analysis) -> Supplement:
    """Return what a model adds to the report of an analysis."""
    return Supplement(
        model_table_texts(model, analysis), MODEL_TABLES, MODEL_PICTURES,
        lambda: _figures(model), lambda drawn: _sections(model, drawn),
        _summary(model.anova), tuple(_row(each) for each in model.anova.effects),
    )  # fmt: skip


def _summary(anova: Anova) -> str:
    names = [each.name for each in anova.effects]
    adjusted = "size" in names and "group" in names
    adjusted = adjusted and (anova.kind != "I" or names.index("size") < names.index("group"))
    parts = [f"{each.name} {100 * each.r_squared:.1f} % (p = {each.p:.4g})"
             for each in anova.effects]  # fmt: skip
    return (
        f"In the model {anova.design.formula}"
        + (", which compares groups of the same size" if adjusted else "")
        + f", the variance of shape is explained by {joined(parts)}."
    )


def _row(effect: Effect) -> tuple[str, str]:
    tests = f"F = {effect.f:.3g}, Z = {effect.z:.2f}, p = {effect.p:.4g}"
    return effect.name, f"{100 * effect.r_squared:.1f} % of the variance, {tests}"


def _figures(model: ShapeModel) -> dict[str, "Figure"]:
    figures = {}
    if model.allometry is not None:
        figures["allometry"] = allometry_chart(model.allometry, model.groups)
    if model.canonical is not None:
        figures["canonical-variates"] = canonical_chart(model.canonical)
    if model.disparity is not None:
        figures["disparity"] = disparity_chart(model.disparity)
    return figures


def _sections(model: ShapeModel, drawn: Mapping[str, str]) -> list[Section]:
    anova = model.anova
    shown = {name: (drawn[name],) if name in drawn else () for name in MODEL_PICTURES}
    sections = [Section(f"Model: {anova.design.formula}", (
        paragraph(" ".join(_said(each, anova.residual_df) for each in anova.effects)),
        anova_table(anova),
        paragraph(_method(anova), soft=True),
    ))]  # fmt: skip
    if model.allometry is not None:
        sections.append(Section("Allometry", (paragraph(_allometry(model)), *shown["allometry"])))
    if model.pairwise is not None:
        parts = (paragraph(_differences(model.pairwise)), _pairs(model.pairwise))
        sections.append(Section("Differences between groups", parts))
    if model.disparity is not None:
        spread = (paragraph(_disparity(model.disparity)), *shown["disparity"])
        sections.append(Section("Disparity", spread))
    if model.canonical is not None:
        sentence = _canonical(model.canonical, model.components)
        sections.append(
            Section("Canonical variates", (paragraph(sentence), *shown["canonical-variates"]))
        )
    return sections


def _said(effect: Effect, residual_df: int) -> str:
    name = effect.name[0].upper() + effect.name[1:]
    verdict = "" if effect.p <= 0.05 else ", which is not significant"
    return (
        f"{name} explains {100 * effect.r_squared:.1f} % of the variance of shape{verdict} "
        f"(F({effect.df}, {residual_df}) = {effect.f:.3g}, Z = {effect.z:.2f}, "
        f"p = {effect.p:.4g})."
    )


def anova_table(anova: Anova) -> str:
    """Return the table of an analysis of variance in HTML."""
    rows = [
        (
            each.name, str(each.df), f"{each.sum_of_squares:.6g}", f"{each.mean_square:.4g}",
            f"{each.r_squared:.4f}", _number(each.f, ".4g"), _number(each.z, ".3f"),
            _number(each.p, ".4g"),
        )
        for each in anova.effects
    ]  # fmt: skip
    if anova.residual_df > 0:
        left = anova.residual_sum_of_squares
        rows.append(("residuals", str(anova.residual_df), f"{left:.6g}",
                     f"{anova.residual_mean_square:.4g}",
                     f"{left / anova.total_sum_of_squares:.4f}", "", "", ""))  # fmt: skip
    total = sum(each.df for each in anova.effects) + anova.residual_df
    rows.append(("total", str(total), f"{anova.total_sum_of_squares:.6g}", "", "", "", "", ""))
    return data_table(("", "df", "SS", "MS", "R2", "F", "Z", "p"), rows)


def _number(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form)


def _method(anova: Anova) -> str:
    return (
        f"Procrustes analysis of variance of type {anova.kind}: {KINDS[anova.kind]}. Degrees of "
        "freedom count specimens, not shape dimensions. Z and p are from "
        f"{counted(anova.permutations, 'permutation')} of the residuals of each model without the "
        f"term (RRPP), with the seed {anova.seed}. Z is the effect size. Size is the natural "
        "logarithm of centroid size."
    )


def _allometry(model: ShapeModel) -> str:
    effect = next(each for each in model.anova.effects if each.name == "size")
    verb = "changes" if effect.p <= 0.05 else "is not shown to change"
    return (
        f"Shape {verb} with size: {100 * effect.r_squared:.1f} % of its variance, "
        f"p = {effect.p:.4g}. Shapes at the mean size are in size-corrected.wide.csv, a landmark "
        "file to continue with."
    )


def _differences(found: PairwiseMeans) -> str:
    corner = np.triu_indices(len(found.groups), 1)
    different = int(np.sum(found.p[corner] <= 0.05))
    if len(corner[0]) == 1:
        verb = "differ" if different else "are not shown to differ"
        said = f"Mean shapes of the two groups, adjusted for the other terms, {verb}."
    else:
        said = (
            f"Mean shapes, adjusted for the other terms, differ for {different} of "
            f"{len(corner[0])} pairs of groups at p = 0.05, without a correction for the number of "
            "pairs."
        )
    return f"{said} Distances are partial Procrustes distances."


def _pairs(found: PairwiseMeans) -> str:
    corner = zip(*np.triu_indices(len(found.groups), 1), strict=True)
    return data_table(
        ("group", "other", "distance", "95 % limit", "Z", "p"),
        (
            (found.groups[i], found.groups[j], f"{found.distances[i, j]:.5f}",
             f"{found.limits[i, j]:.5f}", _number(found.z[i, j], ".3f"), f"{found.p[i, j]:.4g}")
            for i, j in corner
        ),
        words=2,
    )  # fmt: skip


def _disparity(found: Disparity) -> str:
    most, least = int(found.variances.argmax()), int(found.variances.argmin())
    return (
        f"Group {found.groups[most]} varies most (Procrustes variance "
        f"{found.variances[most]:.3g}), {found.groups[least]} least "
        f"({found.variances[least]:.3g}); for these two p = {found.p[most, least]:.4g}."
    )


def _canonical(found: CanonicalVariates, components: int) -> str:
    return (
        f"Left out in turn, {100 * found.rate:.1f} % of {counted(len(found.members), 'specimen')} "
        f"are assigned to their own group, by {counted(components, 'principal component')}. Groups "
        "always look separate in such a plot; the cross-validated rate says whether they are."
    )
