# SPDX-License-Identifier: MIT
"""``gplandmark batch``: landmarks on every specimen of whole folders."""

import sys
import warnings
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.batch_output import tell_end, tell_plan
from gplandmark.cli.folders import results_option
from gplandmark.cli.options.common import count_options, overwrite_option, quiet_option
from gplandmark.cli.options.folders_of_scans import request_from, request_options
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.workers import Labour, worker_options
from gplandmark.cli.progress import watching
from gplandmark.errors import ClusterError, GplandmarkWarning, LandmarkFileError
from gplandmark.runs.batch import Batch, Work
from gplandmark.runs.discover import Findings, find
from gplandmark.runs.engine import Machines, StopRequest, start_workers, stopped_by_signals
from gplandmark.runs.journal import read_entries
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.place_request import Request
from gplandmark.runs.plan import Choice, Task, plan
from gplandmark.runs.run_folder import opened
from gplandmark.visual.pictures.image_files import new_figure

__all__ = ["batch"]

SOME_FAILED, STOPPED = 3, 130


@click.command(cls=HeadedCommand, short_help="Landmarks on every scan of folders, each by itself.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@results_option
@count_options(
    "How many landmarks on each specimen",
    "On each specimen stop when the largest variance has fallen to this share of its start.",
)
@click.option(
    "--manifest",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV table with a column file, and columns count, until, seed, start, exclude, only, "
    "weight or any setting, for specimens that need their own.",
)
@click.option("--pictures", is_flag=True, help="Draw a large picture of each specimen, too.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@overwrite_option("Do everything again, and replace files of others.")
@click.option("--retry-failed", is_flag=True, help="Do only what failed before.")
@click.option("--limit", type=int, metavar="N", help="Do at most that many specimens now.")
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
    labour: Labour,
    quiet: bool,
    **asked: Any,
) -> None:
    """Place landmarks on every scan in FOLDERS and the folders inside them.

    A scan that fails is a row with its reason in summary.csv, and the others go on. Results are
    written as they come. Stopped or cut off, the same command goes on where it was: what is
    finished, with the same scan and settings, is not done again. The exit code is 3 if some
    scans failed. Look at report.html first.

    The landmarks of different specimens are not matched: number 7 of one is not number 7 of
    another. Do not superimpose them before they are.

    \b
    Examples:
      gplandmark batch teeth -n 40 -o results
      gplandmark batch teeth skulls --until 0.05 -o results --workers 8
      gplandmark batch teeth -o results --scheduler tcp://node17:8786
    """
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    common = request_from(asked)
    if pictures:
        new_figure(1, 1)  # says what is missing before the work
    found, tasks = _tasks(folders, output, manifest, common)
    choice = Choice(overwrite, retry_failed, limit, pictures)
    if dry_run:
        tell_plan(plan(tasks, read_entries(output), output, choice), found, names=True)
        return
    work = Work(None, pictures, labour.timeout, labour.send, overwrite)
    with stopped_by_signals() as stop, opened(output, "batch") as journal:
        run = Batch(output, journal, plan(tasks, journal.entries, output, choice), found)
        if not quiet:
            tell_plan(run.plan, found)
        if run.plan.todo or not run.is_told():
            _carry_out(run, labour.machines, work, stop, quiet)
        if not quiet or stop:
            tell_end(run, stopped=bool(stop))
    sys.exit(_status(run, stop))


def _status(run: Batch, stop: StopRequest) -> int:
    failed = any(not entry.is_done for entry in run.entries())
    return STOPPED if stop else SOME_FAILED if failed else 0


def _tasks(
    folders: Sequence[Path], output: Path, manifest: Path | None, common: Request
) -> tuple[Findings, list[Task]]:
    """Find the specimens, and what is asked of each."""
    if not folders and manifest is None:
        raise click.UsageError("Name at least one folder, or a manifest.")
    found = find(folders, output) if folders else Findings()
    if manifest is None:
        return found, [Task(each, common) for each in found.specimens]
    table = read_manifest(manifest)
    table.add_to(found)
    return found, [Task(each, table.request(each.path, common)) for each in found.specimens]


def _carry_out(
    run: Batch, machines: Machines | None, work: Work, stop: StopRequest, quiet: bool
) -> None:
    """Do the work, and write what is about all specimens."""
    began = datetime.now(UTC)
    with (
        watching(len(run.plan.todo), run.output / "run.log", shown=not quiet) as see,
        start_workers(machines) if machines and run.plan.todo else nullcontext() as workers,
    ):
        if workers is not None and workers.dashboard and not quiet:
            click.echo(f"dashboard {workers.dashboard}", err=True)
        try:
            with closing(run.carry_out(replace(work, workers=workers), stop)) as entries:
                for entry in entries:
                    see(entry)
        except (ClusterError, LandmarkFileError) as error:
            raise type(error)(
                f"{error} What is finished stands: run the same command again to go on."
            ) from None
    for note in run.finish(sys.argv, began, stopped=bool(stop)):
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
