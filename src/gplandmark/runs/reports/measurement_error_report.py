# SPDX-License-Identifier: MIT
"""What the report of an analysis says of measurement error."""

from gplandmark.io.csv_tables import table_text
from gplandmark.morphometrics.models.measurement_error import MeasurementError
from gplandmark.morphometrics.models.model_tables import anova_text
from gplandmark.runs.reports.model_report import anova_table
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.html_page import Section, paragraph

ERROR_TABLES = {
    "measurement-error-anova.csv": "analysis of variance of individuals and repeated measurements",
    "repeatability.csv": "repeatability of shape, and per cent measurement error",
}


def measurement_error_supplement(found: MeasurementError) -> Supplement:
    """Return what repeated measurements add to a report."""
    tables = {
        "measurement-error-anova.csv": anova_text(found.anova),
        "repeatability.csv": table_text(
            ("repeatability", "percent_error", "agreement", "consistency", "measurements_each"),
            [(found.repeatability, found.percent_error, found.agreement, found.consistency,
              found.repeats)],
        ),
    }  # fmt: skip
    error = f"{found.percent_error:.1f} % of the variance is measurement error"
    return Supplement(
        tables, ERROR_TABLES, {}, dict, lambda _: _sections(found),
        f"Repeatability of shape is {found.repeatability:.3f}: {error}.",
        (("repeated", f"repeatability {found.repeatability:.3f}; {error}"),),
    )  # fmt: skip


def _sections(found: MeasurementError) -> list[Section]:
    sentence = (
        f"Repeatability of shape is {found.repeatability:.3f} ({found.repeats} measurements of "
        f"each individual): {found.percent_error:.1f} % of the variance is measurement error."
    )
    if found.consistency is not None and len(found.anova.effects) > 1:
        effect = found.anova.effects[1]
        verb = "differ" if effect.p <= 0.05 else "are not shown to differ"
        sentence += (
            f" Sets {verb} systematically ({100 * effect.r_squared:.1f} % of the variance, "
            f"p = {effect.p:.4g}); without that, consistency is {found.consistency:.3f}."
        )
    return [Section("Measurement error", (paragraph(sentence), anova_table(found.anova)))]
