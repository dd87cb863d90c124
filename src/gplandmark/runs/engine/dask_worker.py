# SPDX-License-Identifier: MIT
"""What runs on the workers of a Dask cluster: jobs of a group, one after the other."""

from typing import Any

from gplandmark.runs.engine.child import Reply
from gplandmark.runs.engine.child_processes import end_children, in_child

__all__ = ["MEMORY", "capacity", "plugin", "run_group"]

MEMORY = "memory"  # the name of the resource that jobs ask for and workers have
NAME = "gplandmark"


def run_group(function: bytes, arguments: list[bytes], timeout: float | None) -> list[Reply]:
    """Run the jobs of a group in a child of this worker; each has its own reply."""
    from distributed import get_worker

    memory = get_worker().state.total_resources.get(MEMORY)
    limit = None if memory is None else int(memory)
    return [in_child(function, argument, timeout, limit) for argument in arguments]


def capacity(dask_worker: Any) -> tuple[int, int]:
    """Return how many jobs a worker runs side by side, and the bytes that it has for them."""
    return dask_worker.state.nthreads, int(dask_worker.state.total_resources.get(MEMORY, 0))


def plugin(memory: int | None) -> Any:
    """Return what prepares each worker, also those that join later.

    A worker that does not tell how much memory it has is given `memory` bytes, or its own limit.
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
            end_children()

    return Preparation()
