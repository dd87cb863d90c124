# SPDX-License-Identifier: MIT
"""Independent jobs, on this machine or on many: each ends as a value or with a reason.

Dask says which worker takes which job, and knows the memory of each. A worker runs its jobs in
child processes, so that one that hangs, crashes or eats the memory takes nothing else with it.
What a job does is unknown here.
"""

from gplandmark.runs.engine.interrupts import Stop, stopped_by_signals
from gplandmark.runs.engine.jobs import Failure, Job, Outcome, run_here
from gplandmark.runs.engine.run import run
from gplandmark.runs.engine.workers import Crew, Machines, gathered

__all__ = [
    "Crew",
    "Failure",
    "Job",
    "Machines",
    "Outcome",
    "Stop",
    "gathered",
    "run",
    "run_here",
    "stopped_by_signals",
]
