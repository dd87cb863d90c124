# SPDX-License-Identifier: MIT
"""Workers of a Dask cluster: one that is there already, or one that is started for a run.

Dask decides which worker gets which group of jobs, and knows the memory of each. A worker runs
its jobs in child processes, as on one machine. Dask is imported only where it is used.
"""

import importlib
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from typing import Any, TypeVar

from gplandmark.errors import ClusterError
from gplandmark.runs.engine.child import Reply
from gplandmark.runs.engine.child_processes import ChildPool

MEMORY = "memory"  # the name of the resource that jobs ask for and workers have
NAME = "gplandmark"  # of the plugin
PATIENCE = 20.0  # seconds to wait for a scheduler
ANSWER = 60.0  # seconds that workers have to answer
# Dask keeps its last thousand messages, and each of ours carries jobs: that is gigabytes.
MESSAGES = {"distributed.admin.low-level-log-length": 1}

Value = TypeVar("Value")
_children = ChildPool()  # of the worker that this process is


def run_group(function: bytes, arguments: list[bytes], timeout: float | None) -> list[Reply]:
    """Run the jobs of a group in a child of this worker; each has its own reply."""
    from distributed import get_worker

    memory = get_worker().state.total_resources.get(MEMORY)
    limit = None if memory is None else int(memory)
    return [_children.ask(function, argument, timeout, limit) for argument in arguments]


def _end_children() -> None:  # the plugin travels with what it names, unless that is a function
    _children.end()


def _plugin(memory: int | None) -> Any:
    """Return what prepares each worker, also those that join later.

    A worker that does not report how much memory it has is given `memory` bytes, or its limit.
    """
    import psutil
    from distributed import WorkerPlugin

    class Preparation(WorkerPlugin):  # type: ignore[misc]
        name = NAME

        async def setup(self, worker: Any) -> None:
            if MEMORY not in worker.state.total_resources:
                limit = worker.memory_manager.memory_limit or psutil.virtual_memory().total
                await worker.set_resources(**{MEMORY: memory or limit})

        def teardown(self, worker: Any) -> None:  # noqa: ARG002 - Dask hands it over
            _end_children()

    return Preparation()


class DaskWorkers:
    """Workers behind a Dask client."""

    is_local = False

    def __init__(self, client: Any) -> None:
        self.client = client
        self._unassigned: set[Any] = set()

    @property
    def dashboard(self) -> str | None:
        """Address of Dask's dashboard, if there is one."""
        return self.client.dashboard_link or None

    def capacity(self) -> tuple[int, int]:
        """Return the jobs that run side by side on all workers, and the largest memory of one.

        The scheduler knows both. Workers are not asked: one that is stopped would not answer, and
        everything would wait for it.
        """
        found = self.client.scheduler_info(n_workers=-1)["workers"].values()
        memories = [int(each["resources"].get(MEMORY, 0)) for each in found]
        return sum(each["nthreads"] for each in found), max(memories, default=0)

    def submit(
        self, function: bytes, arguments: list[bytes], timeout: float | None, memory: int
    ) -> Any:
        """Send a group of jobs to the scheduler; the future has a reply for each."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # jobs carry their content
            return self.client.submit(
                run_group,
                function,
                arguments,
                timeout,
                resources={MEMORY: memory} if memory else None,
                pure=False,
            )

    def cancel(self, futures: Iterable[Any]) -> None:
        """Give groups up; what is at work already ends by itself, or with its worker."""
        if self.client.status == "running":
            self.client.cancel(list(futures), force=True)

    def stalled(self, futures: Iterable[Any]) -> list[Any]:
        """Return groups that have had no worker since the last call; submit them again.

        Dask gives such groups to a worker when it joins, and does not ask again when the worker
        reports its memory a moment later.
        """
        taken = {key for keys in self.client.processing().values() for key in keys}
        waiting = {each for each in futures if each.status == "pending" and each.key not in taken}
        before, self._unassigned = self._unassigned, waiting
        return list(waiting & before)

    def check_alive(self) -> None:
        """Raise a `ClusterError` if the scheduler has gone."""
        if self.client.status not in ("running", "connecting"):
            address = self.client.scheduler.address
            raise ClusterError(f"The Dask scheduler at {address} has gone. Start it and go on.")

    def explain(self, error: Exception) -> tuple[str, str]:
        """Return the kind and the reason of the failure of a group that has no replies."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return "lost", "The worker died while it worked on it."
        self.check_alive()
        return "error", f"The worker could not start it: {type(error).__name__}: {error}"[:500]


@contextmanager
def connected_workers(
    address: str | None, cluster: str | None, count: int, memory: int | None
) -> Iterator[DaskWorkers]:
    """Yield the workers of a scheduler, or of a cluster that is started; dismiss them at the end.

    Raises
    ------
    ClusterError
        Dask is not installed, no scheduler answers, the cluster cannot be started, or a worker
        has another version of gplandmark.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise ClusterError(
            "A scheduler or a cluster needs Dask, which is not installed. Run: python -m pip "
            "install 'gplandmark[cluster]', or leave --scheduler and --cluster out."
        ) from None
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(MESSAGES))
        where: Any = address
        if cluster is not None:
            where = _started(cluster, count)
            stack.callback(where.close)
        try:
            client = distributed.Client(where, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise ClusterError(
                f"No Dask scheduler answers at {where} ({error}). Start one, or leave it out."
            ) from None
        stack.callback(client.close)
        stack.callback(_dismiss, client)
        try:
            answer_in_time(lambda: client.register_plugin(_plugin(memory)))
            _check_versions(client)
        except TimeoutError:
            raise ClusterError(
                f"A worker of {where} has not answered for {ANSWER:g} s. Wait until it does, or "
                "end it."
            ) from None
        yield DaskWorkers(client)


def answer_in_time(call: Callable[[], Value]) -> Value:
    """Return what a call returns that asks every worker; one that is stopped never answers.

    Raises
    ------
    TimeoutError
        It took too long.
    """
    future: Future[Value] = Future()

    def ask() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return future.result(ANSWER)


def _started(name: str, count: int) -> Any:
    """Start a cluster of a class that is called ``package.module.Class``."""
    module, _, kind = name.rpartition(".")
    try:
        cluster = getattr(importlib.import_module(module), kind)()
        cluster.scale(count)
    except Exception as error:  # any class of any package
        raise ClusterError(
            f"The cluster {name} cannot be started: {type(error).__name__}: {error}"
        ) from None
    return cluster


def _dismiss(client: Any) -> None:
    """End the children of all workers; what they were at is given up."""
    if client.status == "running":
        # another run on the same workers ended, and took it away; or a worker does not answer
        with suppress(ValueError, TimeoutError):
            answer_in_time(lambda: client.unregister_worker_plugin(NAME))


def _installed() -> str:
    return version("gplandmark")


def _check_versions(client: Any) -> None:
    ours = _installed()
    found = answer_in_time(lambda: client.run(_installed, on_error="return"))
    for worker, theirs in found.items():
        if theirs != ours:
            raise ClusterError(
                f"The worker {worker} has gplandmark {theirs} and this machine has {ours}. "
                "Install the same version on both."
            )
