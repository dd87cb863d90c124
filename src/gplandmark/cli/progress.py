# SPDX-License-Identifier: MIT
"""A long run as people see it: a bar on a terminal, plain lines elsewhere and in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

import click

from gplandmark.errors import LandmarkFileError
from gplandmark.runs.journal import Entry
from gplandmark.runs.matched.run_jobs import unseen

__all__ = ["See", "Watch", "logged", "seeing_stages", "watching"]

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


@contextmanager
def logged(path: Path) -> Iterator[Callable[[Entry], None]]:
    """Yield what writes the line of a specimen at the end of a file.

    Raises
    ------
    LandmarkFileError
        The file cannot be written.
    """
    try:
        file = path.open("a", encoding="utf-8", errors="replace")
    except OSError as error:
        raise LandmarkFileError(f"{path} cannot be written ({error.strerror}).") from None

    def tell(entry: Entry) -> None:
        words = f"done    {entry.key}" if entry.is_done else f"failed  {entry.key}: {entry.reason}"
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        file.write(f"{now}  {words}  ({entry.seconds:.2f} s)\n")
        file.flush()

    with file:
        yield tell


See: TypeAlias = Callable[[str, int, int], None]
STAGES = {
    "sample_scan": "reading scans",
    "asymmetry": "checking for symmetry",
    "align": "comparing pairs",
    "align_turned": "comparing pairs",
    "fit_both_ways": "mapping pairs",
    "land": "carrying landmarks",
}


@contextmanager
def seeing_stages(*, shown: bool) -> Iterator[See]:
    """Yield what is told the name of a stage, how many of its jobs are done, and of how many."""
    if shown and sys.stderr.isatty():
        with _bars() as see:
            yield see
    else:
        yield _stage_lines() if shown else unseen


def _stage_lines() -> See:
    last = {"": 0.0}

    def see(stage: str, done: int, total: int) -> None:
        if total and (done == total or time.monotonic() - last.get(stage, 0.0) > LINE_AGE):
            last[stage] = time.monotonic()
            click.echo(f"{STAGES[stage]}: {done:,} of {total:,}", err=True)

    return see


@contextmanager
def _bars() -> Iterator[See]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    words = TextColumn("{task.description:<19}")
    columns = (words, BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {stage: bars.add_task(said, total=None, visible=False, start=False)
                 for stage, said in STAGES.items()}  # fmt: skip

        def see(stage: str, done: int, total: int) -> None:
            bars.start_task(tasks[stage])
            bars.update(tasks[stage], completed=done, total=total, visible=total > 0)

        yield see
