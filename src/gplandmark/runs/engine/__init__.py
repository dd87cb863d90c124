# SPDX-License-Identifier: MIT
"""Independent jobs, on this machine or on many: each ends as a value or with a reason.

A worker runs its jobs in child processes, so that one that hangs, crashes or eats the memory
takes nothing else with it. Workers are threads of this process, or those of a Dask cluster.
Import everything from here.
"""

from gplandmark.runs.engine.job_loop import run
from gplandmark.runs.engine.jobs import Job, Outcome, StopRequest, stopped_by_signals
from gplandmark.runs.engine.workers import Machines, Workers, start_workers

__all__ = [
    "Job", "Machines", "Outcome", "StopRequest", "Workers", "run", "start_workers",
    "stopped_by_signals",
]  # fmt: skip
