# SPDX-License-Identifier: MIT
"""A long run as people see it: a bar on a terminal, plain lines elsewhere and in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from gplandmark.cli.logs import logged
from gplandmark.collections import Entry

__all__ = ["Watch", "watching"]

LINE_AGE = 10.0  # seconds between lines where there is no terminal


class Watch:
    """Counts what is done and failed, and says how fast and how long."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.failed = 0
        self.began = time.monotonic()

    def see(self, entry: Entry) -> None:
        """Count a specimen."""
        self.done += entry.is_done
        self.failed += not entry.is_done

    def line(self) -> str:
        """Return all numbers in one line."""
        ended = self.done + self.failed
        rate = ended / max(time.monotonic() - self.began, 1e-9)
        left = self.total - ended
        words = f"{self.done:,} done, {self.failed:,} failed, {left:,} left"
        return f"{words}, {rate:.2g} per second, {_span(left / rate)} to go" if ended else words


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


@contextmanager
def watching(total: int, log: Path, *, shown: bool) -> Iterator[Callable[[Entry], None]]:
    """Yield what is called with every entry as it is written."""
    with ExitStack() as stack:
        write = stack.enter_context(logged(log))
        watch = Watch(total)
        is_bar = shown and sys.stderr.isatty()
        tell = stack.enter_context(_bar(watch) if is_bar else _lines(watch, shown))

        def see(entry: Entry) -> None:
            write(entry)
            watch.see(entry)
            tell()

        yield see


@contextmanager
def _lines(watch: Watch, shown: bool) -> Iterator[Callable[[], None]]:
    last = time.monotonic()

    def tell() -> None:
        nonlocal last
        if shown and time.monotonic() - last > LINE_AGE:
            last = time.monotonic()
            click.echo(watch.line(), err=True)

    yield tell


@contextmanager
def _bar(watch: Watch) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(watch.line(), total=watch.total)

        def tell() -> None:
            bar.update(task, completed=watch.done + watch.failed, description=watch.line())

        yield tell
