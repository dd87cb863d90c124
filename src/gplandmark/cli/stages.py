# SPDX-License-Identifier: MIT
"""The stages of matching as people see them: a bar for each on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import click

from gplandmark.cli.watching import LINE_AGE
from gplandmark.samples.running import unseen

__all__ = ["See", "seeing_stages"]

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
        yield _lines() if shown else unseen


def _lines() -> See:
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
