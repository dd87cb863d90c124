# SPDX-License-Identifier: MIT
"""Help in groups: of options of a command, and of commands of the program."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

__all__ = ["HeadedCommand", "HeadedGroup", "adding", "put_under"]

FIRST = "Options"  # heading of options that have none
HEADINGS = "__headings__"  # kept on the function of a command, as click keeps its parameters


def put_under(
    heading: str, command: Callable[..., Any], parameters: Iterable[click.Parameter]
) -> None:
    """Let the help of a command show parameters under a heading."""
    vars(command).setdefault(HEADINGS, {}).update({each.name: heading for each in parameters})


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
        _write(formatter, groups)


class HeadedGroup(click.Group):
    """A program whose help has a heading for each group of commands."""

    headings: Mapping[str, Sequence[click.Command]]

    def add_under(self, headings: Mapping[str, Sequence[click.Command]]) -> None:
        """Take commands, in the order in which help shows them."""
        self.headings = headings
        for commands in headings.values():
            for command in commands:
                self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands."""
        width = max(map(len, self.list_commands(ctx)))
        groups = {
            heading: [(f"{each.name:<{width}}", each.short_help or "") for each in commands]
            for heading, commands in self.headings.items()
        }
        _write(formatter, groups)


def _write(formatter: click.HelpFormatter, groups: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    for heading, records in groups.items():
        with formatter.section(heading):
            formatter.write_dl(records)


Command = TypeVar("Command", bound=Callable[..., Any])


def adding(
    options: Sequence[Callable[[Any], Any]], heading: str = ""
) -> Callable[[Command], Command]:
    """Return what adds options to a command, so that its help shows them in their order.

    With a heading they stand below it in the help of a `HeadedCommand`.
    """

    def add(command: Command) -> Command:
        before = len(_parameters(command))
        for option in reversed(options):
            command = option(command)
        if heading:
            put_under(heading, command, _parameters(command)[before:])
        return command

    return add


def _parameters(command: Callable[..., Any]) -> Sequence[Any]:
    """Those that click has collected on a function so far."""
    collected: Sequence[Any] = vars(command).get("__click_params__", ())
    return collected
