# SPDX-License-Identifier: MIT
"""The options that say how scans are cleaned."""

import click

from gplandmark.cleaning import RULES
from gplandmark.cli.adding import adding

__all__ = ["cleaning_options"]


CLEANING = (
    click.option(
        "--clean", type=click.Choice(list(RULES)), default="default", show_default=True,
        help="What is done about defects of the scan: mended where that is safe, nothing, or any "
        "defect refused (strict).",
    ),
    click.option(
        "--components", metavar="WHICH",
        help="Pieces to keep: 'largest', 'all', or those with at least this share of the area, as "
        "0.05.  [default: largest]",
    ),
)  # fmt: skip

cleaning_options = adding(CLEANING, "Cleaning")
