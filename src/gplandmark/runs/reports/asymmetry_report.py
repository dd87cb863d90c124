# SPDX-License-Identifier: MIT
"""What the report of an analysis says of asymmetry."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.io.formatting import counted, listed
from gplandmark.io.landmark_formats.csv_wide import text as wide_text
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.asymmetry import Asymmetry, LandmarkPairs
from gplandmark.morphometrics.models.model_tables import anova_text
from gplandmark.runs.reports.model_report import anova_table
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.charts.model_charts import asymmetry_chart
from gplandmark.visual.html_page import Section, paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ASYMMETRY_TABLES = {
    "asymmetry-anova.csv": "analysis of variance of individuals and sides",
    "asymmetry.csv": "amount of asymmetry of each individual",
    "symmetric.wide.csv": "symmetric components of shape: means of both sides",
    "asymmetric.wide.csv": "asymmetric components of shape: differences of the sides",
    "landmark-pairs.csv": "pairs of landmarks, left and right",
}
ASYMMETRY_PICTURES = {
    "asymmetry": "Asymmetry of each individual: Procrustes distance between it and its mirror "
    "image, and the part that remains without directional asymmetry.",
}
CARRIED = (
    "The landmarks were carried to all specimens from one reference. Some of its own asymmetry is "
    "carried along, and what is not exactly a pair there, which counts as directional asymmetry. "
    "Fluctuating asymmetry leaves the mean difference of the sides out. Landmarks of match "
    "--in-pairs are carried from both sides of the reference."
)
FROM_BOTH_SIDES = (
    "The landmarks were carried to all specimens from one reference and from its mirror image, so "
    "that its own asymmetry is not that of all."
)
DOUBTFUL = " Part of it may come from the pairs of the reference."


def asymmetry_supplement(
    found: Asymmetry, pairs: LandmarkPairs, labels: Sequence[str], *, origin: str = ""
) -> Supplement:
    """Return what an analysis of asymmetry adds to a report.

    `origin` says how the landmarks came to the specimens: "", `CARRIED` or `FROM_BOTH_SIDES`.
    """
    side, both = found.anova.effects[1:]
    sides = f"{100 * side.r_squared:.1f} % of the variance, F = {side.f:.3g}, p = {side.p:.4g}"
    return Supplement(
        _tables(found, pairs, labels), ASYMMETRY_TABLES, ASYMMETRY_PICTURES,
        lambda: _figures(found), lambda drawn: _sections(found, pairs, labels, drawn, origin),
        _directional(found) + (DOUBTFUL if origin == CARRIED else ""),
        (("sides", f"directional asymmetry {sides}"),
         ("", f"fluctuating asymmetry {100 * both.r_squared:.1f} %")),
    )  # fmt: skip


def _figures(found: Asymmetry) -> dict[str, "Figure"]:
    return {"asymmetry": asymmetry_chart(found)}


def _tables(found: Asymmetry, pairs: LandmarkPairs, labels: Sequence[str]) -> dict[str, str]:
    def wide(shapes: Sequence[object]) -> str:
        given = zip(found.individuals, shapes, strict=True)
        return wide_text(
            [Landmarks.at(np.asarray(each), name, labels=tuple(labels)) for name, each in given]
        )

    rest = np.linalg.norm(found.fluctuating, axis=(1, 2))
    return {
        "asymmetry-anova.csv": anova_text(found.anova),
        "asymmetry.csv": table_text(
            ("individual", "asymmetry", "fluctuating_asymmetry"),
            zip(found.individuals, found.index, rest, strict=True),
        ),
        "symmetric.wide.csv": wide(list(found.symmetric)),
        "asymmetric.wide.csv": wide(list(found.differences)),
        "landmark-pairs.csv": table_text(
            ("left", "right"), ((labels[one], labels[two]) for one, two in pairs.pairs)
        ),
    }


def _directional(found: Asymmetry) -> str:
    side = found.anova.effects[1]
    verb = "is" if side.p <= 0.05 else "is not shown to be"
    return (
        f"There {verb} directional asymmetry (sides differ on average): "
        f"{100 * side.r_squared:.1f} % of the variance, F = {side.f:.3g}, p = {side.p:.4g}."
    )


def _most_different(found: Asymmetry, labels: Sequence[str]) -> str:
    """Say where the sides differ most on average."""
    squares = (found.directional**2).sum(axis=1)
    first = np.argsort(-squares, kind="stable")[:3]
    share = 100 * squares[first].sum() / max(squares.sum(), np.finfo(float).tiny)
    where = listed("landmark", [labels[each] for each in first])
    return f"{share:.0f} % of it is in {where}."


def _sections(
    found: Asymmetry,
    pairs: LandmarkPairs,
    labels: Sequence[str],
    drawn: Mapping[str, str],
    origin: str,
) -> list[Section]:
    individual, _, both = found.anova.effects
    sentences = [
        f"There are {counted(len(pairs.pairs), 'pair')} of landmarks and "
        f"{len(pairs.midline)} on the midline.",
        f"Symmetric variation between individuals is {100 * individual.r_squared:.1f} % of the "
        f"variance of shape. {_directional(found)} {_most_different(found, labels)}",
        *([origin] if origin else []),
        f"Fluctuating asymmetry (individuals differ in how their sides differ) is "
        f"{100 * both.r_squared:.1f} %" + _over_error(found),
    ]
    soft = (
        "Specimens and their relabelled mirror images were superimposed together (Klingenberg, "
        "Barluenga and Meyer 2002). Degrees of freedom count individuals, not shape dimensions. "
        "Individuals and sides are tested over their interaction, by permutation of residuals."
    )
    parts = (*map(paragraph, sentences), *drawn_of(drawn), anova_table(found.anova),
             paragraph(soft, soft=True))  # fmt: skip
    return [Section("Asymmetry", parts)]


def _over_error(found: Asymmetry) -> str:
    if not found.anova.residual_df:
        return "; without repeated measurements it includes measurement error."
    both = found.anova.effects[2]
    return f", F = {both.f:.3g}, p = {both.p:.4g} over measurement error."


def drawn_of(drawn: Mapping[str, str]) -> tuple[str, ...]:
    """Return the picture of asymmetry, if there is one."""
    return (drawn["asymmetry"],) if "asymmetry" in drawn else ()
