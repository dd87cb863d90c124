# SPDX-License-Identifier: MIT
"""What the report of an analysis says of the covariation of two blocks of landmarks."""

from collections.abc import Mapping, Sequence

from gplandmark.io.csv_tables import table_text
from gplandmark.morphometrics.models import PartialLeastSquares
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.charts.model_charts import blocks_chart
from gplandmark.visual.html_page import Section, paragraph

PICTURE = "blocks"
BLOCK_TABLES = {"blocks.csv": "scores of both blocks of landmarks, the first pair of axes"}
BLOCK_PICTURES = {
    PICTURE: "Specimens by their scores on the two axes, one of each block, that covary most."
}
METHOD = (
    "Two-block partial least squares of coordinates that were superimposed together (Rohlf and "
    "Corti 2000). Z and p are from permutations of the specimens of the first block."
)


def blocks_supplement(
    found: PartialLeastSquares,
    names: tuple[str, str],
    specimens: Sequence[str],
    groups: Sequence[str | None],
) -> Supplement:
    """Return what two blocks of landmarks add to a report."""
    scores = zip(specimens, found.first_scores[:, 0], found.second_scores[:, 0], strict=True)
    return Supplement(
        {"blocks.csv": table_text(("specimen", "first_block", "second_block"), scores)},
        BLOCK_TABLES, BLOCK_PICTURES, lambda: {PICTURE: blocks_chart(found, names, groups)},
        lambda drawn: _sections(found, names, drawn), _covariation(found, names),
        (("blocks", f"r-PLS = {found.correlation:.3f}, Z = {found.z:.2f}, p = {found.p:.4g}"),),
    )  # fmt: skip


def _covariation(found: PartialLeastSquares, names: tuple[str, str]) -> str:
    verb = "covary" if found.p <= 0.05 else "are not shown to covary"
    return (
        f"The blocks {names[0]} and {names[1]} {verb}: r-PLS = {found.correlation:.3f}, "
        f"Z = {found.z:.2f}, p = {found.p:.4g}."
    )


def _sections(
    found: PartialLeastSquares, names: tuple[str, str], drawn: Mapping[str, str]
) -> list[Section]:
    sentence = (
        f"{_covariation(found, names)} The first pair of axes has "
        f"{100 * found.covariance_fractions[0]:.1f} % of the squared covariance."
    )
    pictures = (drawn[PICTURE],) if PICTURE in drawn else ()
    return [Section("Two blocks", (paragraph(sentence), *pictures, paragraph(METHOD, soft=True)))]
