# SPDX-License-Identifier: MIT
"""Options of ``analyze`` for models, asymmetry, measurement error and semilandmarks."""

from typing import Any

import click

from gplandmark.cli.options.common import bundled, file_option
from gplandmark.errors import SettingsError
from gplandmark.morphometrics.models.anova import TYPES
from gplandmark.morphometrics.semilandmarks.slide import CRITERIA
from gplandmark.runs.reports.further_analyses import FurtherAnalyses


def _take(given: dict[str, Any]) -> FurtherAnalyses:
    names = ("model", "kind", "covariates", "pairs", "repeats", "slide", "blocks")
    wanted = FurtherAnalyses(**{name: given.pop(name) for name in names})
    if wanted.covariates is not None and wanted.model is None:
        raise SettingsError("--covariates are for a model. Give it with --model.")
    return wanted


further_options = bundled(
    (
        click.option(
            "--model",
            metavar="FORMULA",
            help="Model of shape, e.g. 'shape ~ size * group'; size is log centroid size.",
        ),
        click.option(
            "--type",
            "kind",
            type=click.Choice(TYPES),
            default=TYPES[0],
            help="Sums of squares: each term after those before it (I), after all terms that do "
            "not contain it (II), or after all others (III).",
        ),
        file_option(
            "--covariates",
            help="CSV table with the column specimen, and others that the model may name.",
        ),
        file_option(
            "--pairs",
            metavar="FILE|auto",
            help="Asymmetry: table of landmark pairs with the columns left and right; 'auto' "
            "takes them from names such as 1L and 1R, or finds them.",
        ),
        file_option(
            "--repeats",
            help="Measurement error: table with the columns specimen, individual and "
            "optionally set (observer, scan, run).",
        ),
        file_option(
            "--blocks",
            help="Covariation of two blocks of landmarks (PLS): table with the columns landmark "
            "and block.",
        ),
        click.option(
            "--slide",
            type=click.Choice(CRITERIA),
            help="First slide the semilandmarks that the files define, on the scans if LANDMARKS "
            "is a matched folder. 'gplandmark slide' has more options.",
        ),
    ),
    "Models, asymmetry, measurement error and semilandmarks",
    "wanted",
    _take,
)
