# SPDX-License-Identifier: MIT
"""The options that say who does the work: this process, this machine, or a cluster."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from gplandmark.engine import Machines
from gplandmark.errors import SettingsError

__all__ = ["machines_from", "worker_options", "workers_option"]

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


def worker_options(command: Command) -> Command:
    """Add the options of `CLUSTER` to a command."""
    for option in reversed(CLUSTER):
        command = option(command)
    return command


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
