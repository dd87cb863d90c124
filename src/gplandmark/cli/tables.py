# SPDX-License-Identifier: MIT
"""Tables, rows and numbers on the terminal."""

import math
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

import click

from gplandmark.cli.terminal import echo, visible

WIDE = 200  # columns of a table that goes to a file or another program
LINE = 100  # columns of a wrapped row


def print_title(title: str, aside: str = "") -> None:
    """Print a line in bold, and what follows it in plain type."""
    click.echo(click.style(visible(title), bold=True) + visible(aside))


def print_rows(rows: Iterable[tuple[str, str]], width: int = 10, indent: str = "  ") -> None:
    """Print a name and a text on each line."""
    for name, value in rows:
        echo(f"{indent}{name:<{width}} {value}")


def print_wrapped_rows(rows: Iterable[tuple[str, str]], width: int) -> None:
    """Print a name and a text on each line; a long text continues below itself."""
    for name, value in rows:
        lines = wrap(visible(value), LINE - width, break_long_words=False, break_on_hyphens=False)
        for start, line in zip_longest([name], lines or [""], fillvalue=""):
            echo(f"{start:<{width}}{line}")


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[str] = ()
) -> None:
    """Print rows in columns: numbers to the right, the first column and those in `left` not."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column, name in enumerate(header):
        is_left = column == 0 or name in left
        table.add_column(name, justify="left" if is_left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else WIDE, highlight=False).print(table)


def rounded(value: float) -> str:
    """Four digits, without an exponent where a person would write none."""
    return f"{value:,.4g}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def fixed(values: Iterable[float], typical: float) -> list[str]:
    """Numbers with the same decimals, as many as give three digits of a typical one; NaN is ""."""
    digits = min(max(2 - math.floor(math.log10(typical)), 0), 9) if typical > 0 else 3
    return ["" if math.isnan(value) else f"{value:.{digits}f}" for value in values]


def percent(fraction: float) -> str:
    """A fraction as a percentage with two or three digits."""
    return f"{100 * fraction:.3g} %" if fraction >= 0.1 else f"{100 * fraction:.2g} %"
