# SPDX-License-Identifier: MIT
"""The options that say who does the work: this process, this machine, or a cluster."""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from gplandmark.cli.options.groups import adding
from gplandmark.errors import SettingsError
from gplandmark.io.scans.read import VERTEX, most_vertices
from gplandmark.runs.engine import Machines, Workers, start_workers
from gplandmark.runs.engine.local_workers import processors

__all__ = ["Labour", "machines_from", "worker_options", "workers_for", "workers_option"]

Command = TypeVar("Command", bound=Callable[..., Any])

UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def workers_option(default: str) -> Callable[[Command], Command]:
    """Return the option that says how many scans are worked on side by side."""
    return click.option(
        "--workers", type=click.IntRange(min=0), metavar="N",
        help="How many scans are worked on side by side; 0 works in this process.  "
        f"[default: {default}]",
    )  # fmt: skip


CLUSTER = (
    workers_option("one for each processor"),
    click.option(
        "--scheduler", metavar="ADDRESS",
        help="Work on the workers of a Dask scheduler, as tcp://node17:8786; also by Dask's own "
        "configuration.",
    ),
    click.option(
        "--cluster", metavar="CLASS",
        help="Start a Dask cluster with --workers workers from its configuration, as "
        "dask_jobqueue.SLURMCluster.",
    ),
    click.option(
        "--memory", metavar="SIZE",
        help="Memory for all scans that are worked on side by side, as 12GB.  [default: 80 % of "
        "what is free]",
    ),
    click.option(
        "--timeout", type=float, metavar="SECONDS", help="Give a scan up after this time.",
    ),
    click.option(
        "--send", is_flag=True,
        help="Send scans to the workers, which otherwise read them from a shared folder.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Labour:
    """Who does the work, and how.

    Attributes
    ----------
    machines : None for this process
    timeout : seconds after which a scan is given up
    send : whether scans are sent to the workers
    """

    machines: Machines | None
    timeout: float | None
    send: bool


def worker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `CLUSTER` to a command, which gets all of them as one `labour`."""

    @functools.wraps(command)
    def with_labour(
        *,
        workers: int | None,
        scheduler: str | None,
        cluster: str | None,
        memory: str | None,
        timeout: float | None,
        send: bool,
        **others: Any,
    ) -> Any:
        machines = machines_from(workers, scheduler, cluster, memory)
        return command(labour=Labour(machines, timeout, send), **others)

    return adding(CLUSTER, "Workers")(with_labour)


@contextmanager
def workers_for(
    paths: Sequence[Path], count: int | None, worthwhile: int
) -> Iterator[Workers | None]:
    """Yield workers, or None for this process, which is faster where there is little to do.

    Unless told otherwise, workers come where the scans have `worthwhile` bytes together: to
    start them takes as long as a few scans, and one process has all processors for itself.
    """
    if count is None:
        is_worth = sum(most_vertices(path) for path in paths) * VERTEX > worthwhile
        count = processors() if is_worth and len(paths) > 1 else 0
    if count == 0:
        yield None
        return
    with start_workers(Machines(count)) as workers:
        yield workers


def machines_from(
    workers: int | None,
    scheduler: str | None = None,
    cluster: str | None = None,
    memory: str | None = None,
) -> Machines | None:
    """Return where the work is done; None for this process.

    Raises
    ------
    SettingsError
        The memory is no size, or options contradict each other.
    """
    if workers == 0:
        if scheduler or cluster:
            raise SettingsError("--workers 0 works in this process; leave the cluster out.")
        return None
    return Machines(workers, scheduler, cluster, None if memory is None else _bytes(memory))


def _bytes(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.I)
    if found is None:
        raise SettingsError(f"--memory must be a size as 12GB, got '{text}'.")
    return int(float(found[1]) * UNITS[found[2].upper()])
