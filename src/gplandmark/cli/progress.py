# SPDX-License-Identifier: MIT
"""Progress of long runs: bars on a terminal, plain lines elsewhere, and the log of a run."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gplandmark.cli.tables import percent
from gplandmark.cli.terminal import echo, visible
from gplandmark.gp.selection import Progress
from gplandmark.io.files import open_to_append
from gplandmark.runs.journal import JournalEntry

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

LINE_INTERVAL = 10.0  # seconds between lines where there is no terminal
STAGES = {
    "prepare_scan": "reading scans",
    "asymmetry": "checking for symmetry",
    "align_surfaces": "comparing pairs",
    "align_without_reflections": "comparing pairs",
    "lacking_share": "looking for fragments",
    "search_fragment": "searching for fragments in whole specimens",
    "sample_surface": "sampling pieces",
    "at_whole_size": "sampling fragments",
    "fit_both_ways": "mapping pairs",
    "fit_fragment": "mapping fragments",
    "carry_to_scan": "carrying landmarks",
    "carry_expert": "carrying landmarks",
    "write_prediction": "writing landmarks",
}

StageProgress = Callable[[str, int, int], None]


class _ItemProgress(Protocol):
    """What is called with the number of finished items, their total and a name to show."""

    def __call__(self, done: int, total: int, name: str = "", /) -> None: ...


def _bars(*columns: str) -> "Bars":
    """Bars on the error stream that vanish at the end.

    A column is "bar", "count", "time" (remaining), or a text with fields of a task.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    known = {"bar": BarColumn, "count": MofNCompleteColumn, "time": TimeRemainingColumn}
    made = [known[each]() if each in known else TextColumn(each, markup=False) for each in columns]
    return Bars(*made, console=Console(stderr=True), transient=True)


@contextmanager
def landmark_progress(total: int | None, *, shown: bool) -> Iterator[Progress | None]:
    """Yield a callback that draws landmarks and the remaining variance, on a terminal only."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    variance = "variance left {task.fields[left]}"
    with _bars("{task.description}", "bar", "count", variance, "time") as bars:
        task = bars.add_task("Placing landmarks", total=total, left="100 %")

        def advance(count: int, left: float) -> None:
            bars.update(task, completed=count, left=percent(left))

        yield advance


@contextmanager
def item_progress(description: str) -> Iterator[_ItemProgress | None]:
    """Yield a callback that draws how many items are finished, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    with _bars("{task.description}", "bar", "count", "time") as bars:
        task = bars.add_task(description)

        def advance(done: int, total: int, name: str = "") -> None:
            bars.update(task, completed=done, total=total, description=visible(name) or description)

        yield advance


class _Counts:
    """Numbers of finished and failed specimens, and the rate at which they come."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.failed = 0
        self.began = time.monotonic()

    def add(self, entry: JournalEntry) -> None:
        self.done += entry.is_done
        self.failed += not entry.is_done

    def line(self) -> str:
        ended = self.done + self.failed
        rate = ended / max(time.monotonic() - self.began, 1e-9)
        left = self.total - ended
        text = f"{self.done:,} done, {self.failed:,} failed, {left:,} left"
        return f"{text}, {rate:.2g} per second, {_duration(left / rate)} to go" if ended else text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


@contextmanager
def specimen_progress(
    total: int, log: Path, *, shown: bool
) -> Iterator[Callable[[JournalEntry], None]]:
    """Yield a callback that shows and logs the entry of a specimen."""
    counts = _Counts(total)
    is_bar = shown and sys.stderr.isatty()
    display = _specimen_bar(counts) if is_bar else nullcontext(_specimen_lines(counts, shown))
    with run_log(log) as write, display as update:

        def advance(entry: JournalEntry) -> None:
            write(entry)
            counts.add(entry)
            update()

        yield advance


@contextmanager
def _specimen_bar(counts: _Counts) -> Iterator[Callable[[], None]]:
    with _bars("bar", "{task.description}") as bars:
        task = bars.add_task(counts.line(), total=counts.total)

        def update() -> None:
            bars.update(task, completed=counts.done + counts.failed, description=counts.line())

        yield update


def _specimen_lines(counts: _Counts, shown: bool) -> Callable[[], None]:
    last = time.monotonic()

    def update() -> None:
        nonlocal last
        if shown and time.monotonic() - last > LINE_INTERVAL:
            last = time.monotonic()
            echo(counts.line(), err=True)

    return update


@contextmanager
def run_log(path: Path) -> Iterator[Callable[[JournalEntry], None]]:
    """Yield a callback that appends the entry of a specimen to a file.

    Raises
    ------
    LandmarkFileError
        The file cannot be written.
    """
    file = open_to_append(path)

    def write(entry: JournalEntry) -> None:
        text = f"done    {entry.key}" if entry.is_done else f"failed  {entry.key}: {entry.reason}"
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        line = visible(f"{now}  {text}  ({entry.seconds:.2f} s)")
        file.write(f"{line}\n".encode())

    with file:
        yield write


@contextmanager
def stage_progress(*, shown: bool) -> Iterator[StageProgress]:
    """Yield a callback that takes the name of a stage, its finished jobs, and their total."""
    if not shown or not sys.stderr.isatty():
        from gplandmark.runs.job_runner import ignore_progress

        yield _stage_lines() if shown else ignore_progress
        return
    with _bars("{task.description:<21}", "bar", "count", "time") as bars:
        tasks = {
            stage: bars.add_task(text, total=None, visible=False, start=False)
            for stage, text in STAGES.items()
        }

        def advance(stage: str, done: int, total: int) -> None:
            bars.start_task(tasks[stage])
            bars.update(tasks[stage], completed=done, total=total, visible=total > 0)

        yield advance


def _stage_lines() -> StageProgress:
    last = {"": 0.0}

    def advance(stage: str, done: int, total: int) -> None:
        if total and (done == total or time.monotonic() - last.get(stage, 0.0) > LINE_INTERVAL):
            last[stage] = time.monotonic()
            echo(f"{STAGES[stage]}: {done:,} of {total:,}", err=True)

    return advance
