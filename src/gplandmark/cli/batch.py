# SPDX-License-Identifier: MIT
"""``gplandmark batch``: landmarks on every specimen of whole folders."""

import sys
from collections.abc import Sequence, Sized
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.folder_runs import SOME_FAILED, STOPPED, job_runner, print_stopped
from gplandmark.cli.options.common import (
    PATH,
    count_options,
    file_option,
    headed_command,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.parallel import Execution, worker_options
from gplandmark.cli.options.paths import results_option
from gplandmark.cli.options.scans import request_from, request_options
from gplandmark.cli.progress import specimen_progress
from gplandmark.cli.summaries import print_failed, print_not_bone
from gplandmark.cli.tables import print_title
from gplandmark.cli.terminal import echo
from gplandmark.errors import ClusterError, LandmarkFileError, warn
from gplandmark.io.formatting import counted
from gplandmark.runs.batch import Batch
from gplandmark.runs.discover import Findings, find_scans
from gplandmark.runs.engine import StopRequest, stopped_by_signals
from gplandmark.runs.journal import read_entries
from gplandmark.runs.label_maps import with_labels
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.place_job import PlacementTask
from gplandmark.runs.place_request import Request
from gplandmark.runs.plan import BatchOptions, Plan, make_plan
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.visual.pictures.image_files import new_figure


@headed_command
@click.argument("folders", nargs=-1, type=PATH)
@results_option
@count_options(
    "Number of landmarks on each specimen",
    "On each specimen, stop when the largest variance has fallen to this fraction of its initial "
    "value.",
)
@file_option(
    "--manifest",
    help="CSV table for specimens that need their own settings. It has a column file, and any of "
    "the columns count, until, seed, start, exclude, only, weight, threshold, label, smooth, or "
    "any setting.",
)
@click.option("--pictures", is_flag=True, help="Also draw a large picture of each specimen.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and do nothing.")
@overwrite_option("Recompute everything; overwrite other programs' files and manual edits.")
@click.option("--retry-failed", is_flag=True, help="Process only scans that failed before.")
@click.option("--limit", type=int, metavar="N", help="Process at most this many specimens now.")
@worker_options
@request_options
@quiet_option
def batch(
    folders: tuple[Path, ...],
    output: Path,
    manifest: Path | None,
    dry_run: bool,
    overwrite: bool,
    retry_failed: bool,
    limit: int | None,
    pictures: bool,
    execution: Execution,
    quiet: bool,
    **options: Any,
) -> None:
    """Place landmarks on every scan in FOLDERS and their subfolders.

    Results are written as they come. Failed scans are listed in summary.csv with the reason. If
    interrupted, run the same command again to resume: scans that are finished are not processed
    again unless they or the settings change. The exit code is 3 if some scans failed. Look at
    report.html first.

    Landmarks of different specimens are placed independently: number 7 of one is not number 7 of
    another. Match them ('gplandmark match') before you superimpose them.

    \b
    Examples:
      gplandmark batch teeth -n 40 -o results
      gplandmark batch teeth skulls --until 0.05 -o results --workers 8
      gplandmark batch teeth -o results --scheduler tcp://node17:8786
    """
    common = request_from(**options)
    if pictures:
        new_figure(1, 1)  # fails now if matplotlib is missing
    found, tasks = _tasks(folders, output, manifest, common)
    what = BatchOptions(overwrite, retry_failed, limit, pictures)
    if dry_run:
        _print_plan(make_plan(tasks, read_entries(output), output, what), found, names=True)
        return
    with stopped_by_signals() as stop, open_run_folder(output, "batch") as journal:
        plan = make_plan(tasks, journal.entries, output, what)
        run = Batch(output, journal, plan, found, what)
        if not quiet:
            _print_plan(run.plan, found)
        if run.plan.todo or not run.is_reported():
            _carry_out(run, execution, stop, quiet)
        if not quiet or stop:
            _print_end(run, stopped=bool(stop))
    sys.exit(_status(run, stop))


def _status(run: Batch, stop: StopRequest) -> int:
    failed = any(not entry.is_done for entry in run.entries())
    return STOPPED if stop else SOME_FAILED if failed else 0


def _tasks(
    folders: Sequence[Path], output: Path, manifest: Path | None, common: Request
) -> tuple[Findings, list[PlacementTask]]:
    """Find the specimens, and what to do with each."""
    if not folders and manifest is None:
        raise click.UsageError("Name at least one folder, or a manifest.")
    found = find_scans(folders, output) if folders else Findings()
    table = None if manifest is None else read_manifest(manifest)
    if table is not None:
        table.add_to(found)
    found = with_labels(found, common.rules)
    requests = {
        each: common if table is None else table.request(each.path, common)
        for each in found.specimens
    }
    return found, [
        PlacementTask(each, replace(request, rules=each.rules(request.rules)))
        for each, request in requests.items()
    ]


def _carry_out(run: Batch, execution: Execution, stop: StopRequest, quiet: bool) -> None:
    """Process the specimens, and write the joint files."""
    began = datetime.now(UTC)
    errors, todo = (ClusterError, LandmarkFileError), run.plan.todo
    with (
        specimen_progress(len(todo), run.output / "run.log", shown=not quiet) as advance,
        job_runner(execution, stop, *errors, is_needed=bool(todo), quiet=quiet) as jobs,
        closing(run.carry_out(jobs)) as entries,
    ):
        for entry in entries:
            advance(entry)
    for note in run.finish(sys.argv, began, stopped=bool(stop)):
        warn(note)


def _print_plan(what: Plan, found: Findings, *, names: bool = False) -> None:
    """Print how many specimens there are, are finished, and are still to do, with the reasons."""
    print_title(counted(len(what.tasks), "specimen"), _counts(what, found))
    for reason, count in what.reasons().items():
        echo(f"  {count:>6,}  to do: {reason}")
    if what.edited:
        echo(f"  {len(what.edited):>6,}  edited manually, and kept (--overwrite replaces them)")
    for key, reason in what.todo.items() if names else ():
        echo(f"{key}: {reason}")


def _counts(what: Plan, found: Findings) -> str:
    parts = [
        (what.finished, "already done"),
        (len(what.later), "left for another run"),
        (len(found.closed), f"folder{_s(found.closed)} cannot be read"),
        (len(found.ignored), f"other file{_s(found.ignored)}"),
    ]
    return "".join(f", {count:,} {text}" for count, text in parts if count)


def _s(things: Sized) -> str:
    return "" if len(things) == 1 else "s"


def _print_end(run: Batch, *, stopped: bool) -> None:
    """Print how many succeeded, why some failed, and how to resume."""
    entries = run.entries()
    failed = [entry for entry in entries if not entry.is_done]
    print_failed(failed)
    print_not_bone(entries)
    waiting = len(run.waiting())
    echo(
        f"{counted(len(entries) - len(failed), 'specimen')} with landmarks, {len(failed):,} failed"
        + (f", {waiting:,} still to do" if waiting else "")
    )
    echo(f"written  {run.output / 'report.html'}, {run.output / 'summary.csv'}")
    if stopped:
        print_stopped()
