# SPDX-License-Identifier: MIT
"""Options that have the same names in every command; some say in each what they mean there."""

from collections.abc import Callable
from typing import Any

import click

from gplandmark.cli.options.groups import adding

__all__ = ["count_options", "overwrite_option", "quiet_option"]

quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Say nothing unless something is wrong."
)


def overwrite_option(text: str) -> Callable[[Any], Any]:
    """Return the option that lets a command replace files."""
    return click.option("--overwrite", "--force", is_flag=True, help=text)


def count_options(count: str, until: str) -> Callable[[Any], Any]:
    """Return the two options that tell how many landmarks: by their number or by the variance."""
    return adding(
        (
            click.option(
                "-n", "--count", type=int,
                help=f"{count}.  [default: 40, or what --until takes]",
            ),
            click.option(
                "--until", "target", type=float, default=0.0, metavar="FRACTION", help=until
            ),
        )
    )  # fmt: skip
