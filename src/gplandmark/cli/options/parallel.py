# SPDX-License-Identifier: MIT
"""Options for parallel work: in this process, on this machine, or on a cluster."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import Command, bundled
from gplandmark.errors import SettingsError
from gplandmark.io.scans.sizes import VERTEX, most_vertices
from gplandmark.runs.engine import Machines, Workers, start_workers
from gplandmark.runs.engine.local_workers import processors

UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def workers_option(default: str) -> Callable[[Command], Command]:
    """Return the option for the number of scans that are processed in parallel."""
    return click.option(
        "--workers", type=click.IntRange(min=0), metavar="N",
        help="How many scans to process in parallel; 0 means in this process.  "
        f"[default: {default}]",
    )  # fmt: skip


CLUSTER = (
    workers_option("one per processor"),
    click.option(
        "--scheduler", metavar="ADDRESS",
        help="Use the workers of a Dask scheduler, e.g. tcp://node17:8786. Dask's configuration "
        "may also name it.",
    ),
    click.option(
        "--cluster", metavar="CLASS",
        help="Start a Dask cluster of this class with --workers workers, as Dask's configuration "
        "describes it, e.g. dask_jobqueue.SLURMCluster.",
    ),
    click.option(
        "--memory", metavar="SIZE",
        help="Memory for all scans that are processed in parallel, e.g. 12GB.  [default: 80 % of "
        "the free memory]",
    ),
    click.option(
        "--timeout", type=float, metavar="SECONDS",
        help="Give up on a scan after this many seconds.",
    ),
    click.option(
        "--send", is_flag=True,
        help="Send scans to the workers; by default workers read them from a shared folder.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Execution:
    """Where the work is done, and its limits.

    Attributes
    ----------
    machines : None for this process
    timeout : seconds after which a scan is given up
    send : whether scans are sent to the workers
    """

    machines: Machines | None
    timeout: float | None
    send: bool


def _execution(options: dict[str, Any]) -> Execution:
    names = ("workers", "scheduler", "cluster", "memory")
    machines = machines_from(*(options.pop(name) for name in names))
    return Execution(machines, options.pop("timeout"), options.pop("send"))


worker_options = bundled(CLUSTER, "Workers", "execution", _execution)


@contextmanager
def workers_for(
    paths: Sequence[Path], count: int | None, worthwhile: int
) -> Iterator[Workers | None]:
    """Yield workers, or None for this process, which is faster if there is little to do.

    Unless `count` is given, workers are started if all scans together need more than
    `worthwhile` bytes. Starting workers takes as long as a few scans, and a single process can
    use all processors.
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
        The memory is not a size, or options contradict each other.
    """
    if workers == 0:
        if scheduler or cluster:
            raise SettingsError("--workers 0 means this process: leave the cluster out.")
        return None
    return Machines(workers, scheduler, cluster, None if memory is None else _bytes(memory))


def _bytes(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.I)
    if found is None:
        raise SettingsError(f"--memory must be a size, e.g. 12GB, got '{text}'.")
    return int(float(found[1]) * UNITS[found[2].upper()])
