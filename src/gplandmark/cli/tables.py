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
from gplandmark.io.overwrite import check_not_input, check_own_start
from gplandmark.visual.pictures import check_picture

__all__ = ["check_plot", "check_table", "output_options", "print_table"]

PICTURE = re.compile(rb"\x89PNG|%PDF|\s*<(\?xml|!DOCTYPE svg|svg)")
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
    check_not_input(path, inputs)
    check_writable(path)
    header = ",".join(columns).encode()
    start = re.compile(rb"(\xef\xbb\xbf)?" + re.escape(header) + rb"\r?\n")
    check_own_start(path, start, "an earlier table of this command")


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
    check_own_start(path, PICTURE, "a picture")


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
