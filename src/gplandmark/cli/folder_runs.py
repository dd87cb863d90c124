# SPDX-License-Identifier: MIT
"""What commands on whole folders have in common: workers, exit codes, and how to resume."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from gplandmark.cli.options.parallel import Execution
from gplandmark.cli.progress import run_log, stage_progress
from gplandmark.cli.terminal import echo
from gplandmark.errors import ClusterError, GplandmarkError
from gplandmark.runs.engine import StopRequest, start_workers, stopped_by_signals
from gplandmark.runs.job_runner import JobRunner, ignore_progress
from gplandmark.runs.journal import Journal, JournalEntry
from gplandmark.runs.matched.membership import store_path
from gplandmark.runs.run_folder import LOG, open_run_folder
from gplandmark.runs.store import Store

SOME_FAILED, STOPPED = 3, 130  # exit codes


@contextmanager
def job_runner(
    execution: Execution,
    stop: StopRequest,
    *kinds: type[GplandmarkError],
    store: Store | None = None,
    progress: Callable[[str, int, int], None] = ignore_progress,
    is_needed: bool = True,
    quiet: bool = False,
) -> Iterator[JobRunner]:
    """Start the workers, if they are needed; errors of these `kinds` then say how to resume."""
    machines = execution.machines if is_needed else None
    try:
        with start_workers(machines) if machines else nullcontext() as workers:
            if workers is not None and workers.dashboard and not quiet:
                echo(f"dashboard {workers.dashboard}", err=True)
            yield JobRunner(workers, stop, execution.timeout, execution.send, store, progress)
    except kinds as error:
        raise type(error)(
            f"{error} Finished work is kept: run the same command again to resume."
        ) from None


@contextmanager
def stored_run(
    output: Path, command: str, execution: Execution, quiet: bool, earlier: Path | None = None
) -> Iterator[tuple[Journal, Store, JobRunner, Callable[[JournalEntry], None]]]:
    """Open the folder of a run that stores values: yield its journal, store, jobs and log.

    Values that its store lacks are taken over from that of the folder `earlier`.
    """
    with (
        stopped_by_signals() as stop,
        open_run_folder(output, command) as journal,
        _stores(output, earlier) as store,
        run_log(output / LOG) as log,
        stage_progress(shown=not quiet) as progress,
        job_runner(
            execution, stop, ClusterError, store=store, progress=progress, quiet=quiet
        ) as jobs,
    ):
        yield journal, store, jobs, log


@contextmanager
def _stores(output: Path, earlier: Path | None) -> Iterator[Store]:
    """The store of the results, which takes over what that of an earlier match has."""
    if earlier is None or not store_path(earlier).exists():
        with closing(Store(store_path(output))) as store:
            yield store
        return
    with (
        closing(Store(store_path(earlier), readonly=True)) as known,
        closing(Store(store_path(output), earlier=known)) as store,
    ):
        yield store


def print_stopped() -> None:
    """Print that nothing is lost."""
    echo("Stopped. Nothing is lost: run the same command again to resume.", err=True)
