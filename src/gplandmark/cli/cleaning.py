# SPDX-License-Identifier: MIT
"""The options that say how scans are cleaned."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from gplandmark.cleaning import RULES

__all__ = ["cleaning_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

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


def cleaning_options(command: Command) -> Command:
    """Add the options of `CLEANING` to a command."""
    for option in reversed(CLEANING):
        command = option(command)
    return command
