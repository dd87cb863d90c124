# SPDX-License-Identifier: MIT
"""Independent jobs, on this machine or on many: each ends as a value or with a reason.

Dask says which worker takes which job, and knows the memory of each. A worker runs its jobs in
child processes, so that one that hangs, crashes or eats the memory takes nothing else with it.
What a job does is unknown here.
"""

from gplandmark.engine.crews import Crew, Machines, gathered
from gplandmark.engine.here import run_here
from gplandmark.engine.jobs import Failure, Job, Outcome
from gplandmark.engine.running import run
from gplandmark.engine.stopping import Stop, stopped_by_signals

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
