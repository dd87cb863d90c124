# SPDX-License-Identifier: MIT
"""Tables on the terminal, and the files that they and their plots go to."""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from gplandmark.cli.options.groups import adding
from gplandmark.errors import SettingsError
from gplandmark.io.files import check_writable
from gplandmark.visual.pictures import check_picture

__all__ = ["check_plot", "check_table", "output_options", "print_table"]

OTHER_NAME = "Choose another name, or remove it."
PICTURE = re.compile(rb"\x89PNG|%PDF|\s*<(\?xml|!DOCTYPE svg|svg)")
START = 2000  # bytes that tell what a file is
WIDE = 200  # columns where nobody looks at a window: a file or another program

OUTPUT = (
    click.option(
        "--csv", "table", type=click.Path(path_type=Path), metavar="FILE",
        help="Write the numbers to this .csv file.",
    ),
    click.option(
        "--plot", type=click.Path(path_type=Path), metavar="FILE",
        help="Draw them: .png, .pdf or .svg.",
    ),
)  # fmt: skip

output_options = adding(OUTPUT)


def check_table(path: Path, inputs: Sequence[Path], columns: Sequence[str]) -> None:
    """Refuse, before the work starts, a table that cannot be written or would replace another.

    Only a table with the same columns, as the command wrote it before, is replaced.

    Raises
    ------
    SettingsError
        The ending is not .csv, or the file is one that the command reads, or something else.
    LandmarkFileError
        It cannot be written there.
    """
    if path.suffix.lower() != ".csv":
        raise SettingsError(f"{path}: a table needs the ending .csv, not '{path.suffix}'.")
    if path.resolve() in {each.resolve() for each in inputs}:
        raise SettingsError(f"{path} is one of the inputs. Choose another name for the table.")
    check_writable(path)
    header = ",".join(columns).encode()
    if not _is_free(path, re.compile(rb"(\xef\xbb\xbf)?" + re.escape(header) + rb"\r?\n")):
        raise SettingsError(f"{path} exists and is no earlier table of this command. {OTHER_NAME}")


def check_plot(path: Path) -> None:
    """Refuse, before the work starts, a plot that cannot be drawn or would replace no picture.

    Raises
    ------
    PictureError
        The ending is unknown, or matplotlib is not installed.
    SettingsError
        The file exists, and is no picture.
    LandmarkFileError
        It cannot be written there.
    """
    check_picture(path)
    if not _is_free(path, PICTURE):
        raise SettingsError(f"{path} exists and is no picture. {OTHER_NAME}")


def _is_free(path: Path, opening: re.Pattern[bytes]) -> bool:
    """Tell whether there is nothing at a path, or something that begins as it should."""
    if not path.exists():
        return True
    try:
        with path.open("rb") as file:
            start = file.read(START)
    except OSError:
        return False
    return not start or opening.match(start) is not None


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows in columns; the first to the left, numbers to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, name in enumerate(header):
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else WIDE, highlight=False).print(table)
