# SPDX-License-Identifier: MIT
"""Options of several commands, and help with a heading for each group of options."""

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from gplandmark.errors import GplandmarkWarning

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FIRST = "Options"  # heading of options that have none
HEADINGS = "__headings__"  # kept on the function of a command, as click keeps its parameters


def _put_under(
    heading: str, command: Callable[..., Any], parameters: Iterable[click.Parameter]
) -> None:
    """Show parameters of a command below a heading."""
    headings = vars(command).setdefault(HEADINGS, {})
    for each in parameters:
        headings.setdefault(each.name, heading)  # a group inside a group keeps its own


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


def headed_command(function: Callable[..., Any]) -> click.Command:
    """Make a command of a function; the table of `gplandmark.cli.main` says what it is for."""
    return click.command(cls=HeadedCommand)(function)


class HeadedGroup(click.Group):
    """A program whose help has a heading for each group of commands.

    A command is imported when it is used: the function of its name in the module of its name.

    Parameters
    ----------
    headings : what each command is for, by its name, below its heading
    """

    def __init__(self, *args: Any, headings: Mapping[str, Mapping[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.headings = headings

    def list_commands(self, _: click.Context) -> list[str]:
        """Names of all commands, in the order in which help shows them."""
        return [name for commands in self.headings.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = getattr(import_module(f"gplandmark.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands."""
        width = max(map(len, self.list_commands(ctx)))
        groups = {
            heading: [(f"{name:<{width}}", what) for name, what in commands.items()]
            for heading, commands in self.headings.items()
        }
        _write(formatter, groups)


def _write(formatter: click.HelpFormatter, groups: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    for heading, records in groups.items():
        with formatter.section(heading):
            formatter.write_dl(records)


def grouped(
    options: Sequence[Callable[[Any], Any]], heading: str = ""
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, in this order.

    The help of a `HeadedCommand` shows them below the heading, if there is one.
    """

    def add(command: Command) -> Command:
        before = len(_parameters(command))
        for option in reversed(options):
            command = option(command)
        if heading:
            _put_under(heading, command, _parameters(command)[before:])
        return command

    return add


def bundled(
    options: Sequence[Callable[[Any], Any]],
    heading: str,
    name: str,
    take: Callable[[dict[str, Any]], Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options to a command, which gets them as one argument `name`.

    `take` removes these options from all those of the command, and makes the argument of them.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_argument(**given: Any) -> Any:
            argument = take(given)
            return command(**{name: argument}, **given)

        return grouped(options, heading)(with_argument)

    return add


def _parameters(command: Callable[..., Any]) -> Sequence[Any]:
    """Parameters that click has collected on a function so far."""
    collected: Sequence[Any] = vars(command).get("__click_params__", ())
    return collected


def _silence(_: click.Context, __: click.Parameter, quiet: bool) -> bool:
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    return quiet


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    callback=_silence,
    help="Print nothing unless something is wrong.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
between_vertices_option = click.option(
    "--between-vertices", is_flag=True,
    help="Move each landmark to the largest variance on the triangles around its vertex.",
)  # fmt: skip
seed_option = click.option(
    "--seed", type=int,
    help="Break ties at random with this seed; by default the outermost vertex wins.",
)  # fmt: skip
format_option = click.option(
    "--format", "extension", default=".mrk.json", metavar="EXTENSION",
    help="Format of the landmark file of each specimen, e.g. .csv or .tps.",
)  # fmt: skip


def file_option(*names: str, metavar: str = "FILE", **more: Any) -> Callable[[Command], Command]:
    """Return an option whose value is the path of a file or folder."""
    return click.option(*names, type=PATH, metavar=metavar, **more)


def overwrite_option(text: str) -> Callable[[Command], Command]:
    """Return the option that lets a command replace files."""
    return click.option("--overwrite", "--force", is_flag=True, help=text)


def output_option(
    text: str, metavar: str = "FILE", *, required: bool = False
) -> Callable[[Command], Command]:
    """Return the option that names the file or folder to write."""
    return click.option("-o", "--output", type=PATH, metavar=metavar, required=required, help=text)


def count_options(count: str, until: str) -> Callable[[Command], Command]:
    """Return the two options for the number of landmarks: a count, or a remaining variance."""
    return grouped(
        (
            click.option(
                "-n", "--count", type=int,
                help=f"{count}.  [default: 40, or as many as --until needs]",
            ),
            click.option(
                "--until", "target", default=0.0, show_default=False, metavar="FRACTION", help=until
            ),
        )
    )  # fmt: skip
