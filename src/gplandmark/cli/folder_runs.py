# SPDX-License-Identifier: MIT
"""What commands on whole folders have in common: workers, exit codes, and how to resume."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import click

from gplandmark.cli.options.parallel import Execution
from gplandmark.errors import GplandmarkError
from gplandmark.runs.engine import StopRequest, start_workers
from gplandmark.runs.job_runner import JobRunner, ignore_progress
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
                click.echo(f"dashboard {workers.dashboard}", err=True)
            yield JobRunner(workers, stop, execution.timeout, execution.send, store, progress)
    except kinds as error:
        raise type(error)(
            f"{error} Finished work is kept: run the same command again to resume."
        ) from None


def print_stopped() -> None:
    """Print that nothing is lost."""
    click.echo("Stopped. Nothing is lost: run the same command again to resume.", err=True)
