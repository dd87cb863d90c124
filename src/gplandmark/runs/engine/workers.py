# SPDX-License-Identifier: MIT
"""Where jobs run: in child processes of this machine by default, or on a Dask cluster."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from gplandmark.errors import SettingsError
from gplandmark.runs.engine.dask_workers import connected_workers
from gplandmark.runs.engine.local_workers import LocalWorkers, free_memory, processors

ADDRESS = "scheduler-address"  # in Dask's configuration


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
    memory : bytes that jobs may use on each worker that reports none; by default the limit of
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


class Workers(Protocol):
    """What a run needs of the workers: groups of jobs go out as futures.

    A future has ``add_done_callback`` and ``result``, which is a list of replies.
    """

    @property
    def is_local(self) -> bool:
        """Whether they see the same files as this process."""

    @property
    def dashboard(self) -> str | None:
        """Address of a page that shows their work, if there is one."""

    def capacity(self) -> tuple[int, int]:
        """Return how many groups run side by side, and the largest memory for one, in bytes."""

    def submit(
        self, function: bytes, arguments: list[bytes], timeout: float | None, memory: int
    ) -> Any:
        """Return the future of a group, which starts when there are `memory` bytes for it."""

    def cancel(self, futures: Iterable[Any]) -> None:
        """Give groups up."""

    def stalled(self, futures: Iterable[Any]) -> list[Any]:
        """Return those that got lost on their way and must be submitted again."""

    def check_alive(self) -> None:
        """Raise a `ClusterError` if the workers have gone."""

    def explain(self, error: Exception) -> tuple[str, str]:
        """Return the kind and the reason of the failure of a group that has no replies."""


@contextmanager
def start_workers(machines: Machines | None = None) -> Iterator[Workers]:
    """Yield the workers, and dismiss them at the end.

    Raises
    ------
    ClusterError
        A scheduler or a cluster is asked for, and cannot be used.
    """
    machines = machines or Machines()
    address = machines.scheduler or (None if machines.cluster else _configured_scheduler())
    if machines.cluster or address:
        with connected_workers(
            address, machines.cluster, machines.workers or 1, machines.memory
        ) as connected:
            yield connected
        return
    count = machines.workers or processors()
    with closing(LocalWorkers(count, machines.memory or free_memory())) as local:
        yield local


def _configured_scheduler() -> str | None:
    """Return the address of a scheduler in Dask's own configuration, if there is one.

    Dask takes half a second to import, so that it is asked only where the address is mentioned.
    """
    is_imported = sys.modules.get("dask") is not None
    if not is_imported and (find_spec("dask") is None or not _mentions_address()):
        return None
    import dask

    address: str | None = dask.config.get(ADDRESS, None)
    return address


def _mentions_address() -> bool:
    """Look for the address in the environment, and in the files that Dask would read."""
    if "DASK_SCHEDULER_ADDRESS" in os.environ:
        return True
    places = [
        os.environ.get("DASK_ROOT_CONFIG", "/etc/dask"),
        os.path.join(sys.prefix, "etc", "dask"),
        os.path.join(os.path.expanduser("~"), ".config", "dask"),
        os.environ.get("DASK_CONFIG", ""),
    ]
    for place in filter(None, places):
        path = Path(place)
        for file in path.glob("*.*") if path.is_dir() else [path]:
            with suppress(OSError):
                if ADDRESS in file.read_text(errors="replace").replace("_", "-"):
                    return True
    return False
