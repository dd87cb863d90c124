# SPDX-License-Identifier: MIT
"""Options that several commands share, added to a command as one, under a heading of its help."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

__all__ = ["HeadedCommand", "adding"]

FIRST = "Options"  # heading of what has none
PARAMETERS, HEADINGS = "__click_params__", "__headings__"  # click collects the former on a function

Command = TypeVar("Command", bound=Callable[..., Any])


def adding(
    options: Sequence[Callable[[Any], Any]], heading: str = ""
) -> Callable[[Command], Command]:
    """Return what adds options to a command, so that its help shows them in their order.

    With a heading they stand below it in the help of a `HeadedCommand`.
    """

    def add(command: Command) -> Command:
        before = len(vars(command).get(PARAMETERS, ()))
        for option in reversed(options):
            command = option(command)
        if heading:
            headings = vars(command).setdefault(HEADINGS, {})
            headings |= {each.name: heading for each in vars(command)[PARAMETERS][before:]}
        return command

    return add


class HeadedCommand(click.Command):
    """A command whose help has a heading for each group of options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write options without a heading first, then the groups in the order of the command."""
        headings = vars(self.callback).get(HEADINGS, {})
        groups: dict[str, list[tuple[str, str]]] = {FIRST: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(headings.get(parameter.name, FIRST), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)
