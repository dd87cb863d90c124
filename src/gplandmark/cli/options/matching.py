# SPDX-License-Identifier: MIT
"""Options of the commands that match specimens: which landmarks count, and which poses."""

import click

from gplandmark.cli.options.common import grouped, overwrite_option
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE

matching_options = grouped(
    (
        click.option(
            "--least", type=click.FloatRange(0, 1), default=MIN_CONFIDENCE,
            help="Treat a landmark as missing on a specimen if its confidence is below this.",
        ),
        click.option(
            "--never-mirrored", is_flag=True,
            help="No specimen is the mirror image of another, e.g. all bones are right ones.",
        ),
        click.option(
            "--same-scale", is_flag=True,
            help="All files share a unit, so that the scale of fragments is known.",
        ),
        click.option(
            "--on-surface", is_flag=True,
            help="Put all landmarks on the surface. By default, those that lie off it keep their "
            "offset.",
        ),
        overwrite_option("Recompute everything; overwrite other programs' files and manual edits."),
    )
)  # fmt: skip

estimate_option = click.option(
    "--estimate-missing",
    is_flag=True,
    help="Also estimate missing landmarks from the other specimens; only estimated.csv has them.",
)
