# SPDX-License-Identifier: MIT
"""Workers that do jobs: some on this machine by default, or a cluster that is there already."""

import importlib
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from gplandmark.errors import ClusterError, SettingsError
from gplandmark.runs.engine.child_processes import end_children
from gplandmark.runs.engine.dask_worker import capacity, plugin

__all__ = ["Crew", "Machines", "gathered", "processors"]

SHARE = 0.8  # of the free memory of this machine is for jobs
UNSEEN = "127.0.0.1:0"  # Dask insists on a web server: any free port, for this machine only
PATIENCE = 20.0  # seconds to wait for a scheduler
# Dask keeps its last thousand messages, and each of ours carries jobs: that is gigabytes.
MESSAGES = {"distributed.admin.low-level-log-length": 1}


@dataclass(frozen=True)
class Machines:
    """Where jobs run.

    Attributes
    ----------
    workers : how many jobs run side by side on this machine, by default one for each processor;
        with `cluster`, how many workers to ask for
    scheduler : address of a Dask scheduler that is there already, as ``tcp://node17:8786``
    cluster : class that starts a Dask cluster from its own configuration, as
        ``dask_jobqueue.SLURMCluster``
    memory : bytes that jobs may use on each worker that does not tell it; by default the limit of
        the worker, on this machine 80 % of what is free

    Raises
    ------
    SettingsError
        There is to be less than one worker or no memory, or both a scheduler and a cluster.
    """

    workers: int | None = None
    scheduler: str | None = None
    cluster: str | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.workers is not None and self.workers < 1:
            raise SettingsError(f"The number of workers must be at least 1, got {self.workers}.")
        if self.memory is not None and self.memory < 1:
            raise SettingsError("The memory for jobs must be above 0.")
        if self.scheduler and self.cluster:
            raise SettingsError("Give either a scheduler or a cluster to start, not both.")


@dataclass(frozen=True, eq=False)
class Crew:
    """Workers that are there: a Dask client, and whether they are processes of our own."""

    client: Any
    is_local: bool

    def capacity(self) -> tuple[int, int]:
        """Return the jobs that run side by side on all workers, and the largest memory of one."""
        found = self.client.run(capacity, on_error="ignore").values()
        return sum(each[0] for each in found), max((each[1] for each in found), default=0)

    @property
    def dashboard(self) -> str | None:
        """Address of Dask's dashboard, if there is one."""
        return None if self.is_local else self.client.dashboard_link or None

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        return str(self.client.scheduler.address)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def gathered(machines: Machines | None = None) -> Iterator[Crew]:
    """Yield the workers, and dismiss them at the end.

    Raises
    ------
    ClusterError
        Dask is not installed, no scheduler answers, the cluster cannot be started, or a worker
        has another version of gplandmark.
    """
    machines = machines or Machines()
    distributed = _distributed()
    with ExitStack() as stack:
        stack.enter_context(_configured(MESSAGES))
        address = machines.scheduler or _configured_address()
        is_local = not (machines.cluster or address)
        where: Any = address
        if not address:
            where = _cluster(machines, distributed, is_local)
            stack.callback(where.close)
        client = _client(where, distributed)
        stack.callback(client.close)
        memory = machines.memory or (_free_memory() if is_local else None)
        client.register_plugin(plugin(memory))
        stack.callback(_dismiss, client, is_local)
        _check_versions(client)
        yield Crew(client, is_local)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            "Workers need Dask, which is not installed. Run: python -m pip install "
            "'gplandmark[cluster]', or work in this process (--workers 0)."
        ) from None
    return distributed


def _configured(settings: dict[str, Any]) -> Any:
    import dask

    return dask.config.set(settings)


def _configured_address() -> str | None:
    import dask

    address: str | None = dask.config.get("scheduler-address", None)
    return address


def _cluster(machines: Machines, distributed: Any, is_local: bool) -> Any:
    """Start workers: threads of this process, whose jobs run in children, or a cluster."""
    if is_local:
        return distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=machines.workers or processors(),
            processes=False,
            dashboard_address=UNSEEN,
            worker_dashboard_address=UNSEEN,
            memory_limit=0,  # the children have the memory, and are watched for it
            silence_logs=logging.ERROR,  # it would warn of jobs that we gave up ourselves
        )
    assert machines.cluster is not None
    module, _, name = machines.cluster.rpartition(".")
    try:
        cluster = getattr(importlib.import_module(module), name)()
        cluster.scale(machines.workers or 1)
    except Exception as error:  # any class of any package
        raise ClusterError(
            f"The cluster {machines.cluster} cannot be started: {type(error).__name__}: {error}"
        ) from None
    return cluster


def _client(where: Any, distributed: Any) -> Any:
    try:
        return distributed.Client(where, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {where} ({error}). Start one, or leave it out."
        ) from None


def _free_memory() -> int:
    import psutil

    return int(SHARE * psutil.virtual_memory().available)


def _dismiss(client: Any, is_local: bool) -> None:
    """End the children of all workers; what they were at is given up."""
    if is_local:
        end_children()
    elif client.status == "running":
        client.unregister_worker_plugin("gplandmark")


def _installed() -> str:
    return version("gplandmark")


def _check_versions(client: Any) -> None:
    ours = _installed()
    for worker, theirs in client.run(_installed, on_error="return").items():
        if theirs != ours:
            raise ClusterError(
                f"The worker {worker} has gplandmark {theirs} and this machine has {ours}. "
                "Install the same version on both."
            )
