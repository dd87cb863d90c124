# SPDX-License-Identifier: MIT
"""What a batch says before and after the work."""

from collections.abc import Sequence, Sized

import click

from gplandmark.io.formatting import counted
from gplandmark.runs.batch import Batch
from gplandmark.runs.discover import Findings
from gplandmark.runs.journal import Entry
from gplandmark.runs.plan import Plan

__all__ = ["tell_end", "tell_failed", "tell_plan"]

SHOWN = 10  # failures that are named on the terminal; the summary has all


def tell_plan(what: Plan, found: Findings, *, names: bool = False) -> None:
    """Say how many there are, how many are done already, and why the others are not."""
    click.echo(click.style(counted(len(what.tasks), "specimen"), bold=True) + _asides(what, found))
    for reason, count in what.reasons().items():
        click.echo(f"  {count:>6,}  to do: {reason}")
    if what.edited:
        click.echo(
            f"  {len(what.edited):>6,}  edited by a person, and left alone "
            "(--overwrite replaces them)"
        )
    for key, reason in what.todo.items() if names else ():
        click.echo(f"{key}: {reason}")


def _asides(what: Plan, found: Findings) -> str:
    parts = [
        (what.finished, "done already"),
        (len(what.later), "left for another run"),
        (len(found.closed), f"folder{_s(found.closed)} cannot be read"),
        (len(found.ignored), f"other file{_s(found.ignored)}"),
    ]
    return "".join(f", {count:,} {words}" for count, words in parts if count)


def _s(things: Sized) -> str:
    return "" if len(things) == 1 else "s"


def tell_end(run: Batch, *, stopped: bool) -> None:
    """Say what came of it, why some failed, and how to go on."""
    entries = run.entries()
    failed = [entry for entry in entries if not entry.is_done]
    tell_failed(failed)
    waiting = len(run.waiting())
    click.echo(
        f"{counted(len(entries) - len(failed), 'specimen')} with landmarks, {len(failed):,} failed"
        + (f", {waiting:,} wait" if waiting else "")
    )
    click.echo(f"written  {run.output / 'report.html'}, {run.output / 'summary.csv'}")
    if stopped:
        click.echo("Stopped. Nothing is lost: run the same command again to go on.", err=True)


def tell_failed(failed: Sequence[Entry]) -> None:
    """Name the first of the specimens that failed, and why."""
    for entry in failed[:SHOWN]:
        click.echo(f"failed: {entry.key}: {entry.reason}", err=True)
    if len(failed) > SHOWN:
        click.echo(f"... and {len(failed) - SHOWN:,} more, in summary.csv", err=True)
