"""Contestants in processes of their own, so that time and peak memory are theirs alone."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """Seconds, peak memory in bytes above what was there before, and picks of one contestant."""

    seconds: float
    memory: float
    picks: list[int]


def peak_memory() -> int:
    """Peak memory of this process in bytes; `getrusage` would count that of its parent too."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def measured(work: Callable[[], list[int]]) -> None:
    """Run the work in this process and print its result for `contest` to read.

    Work of less than a second is done three times and the best counts, for every contestant alike.
    """
    before = peak_memory()
    times: list[float] = []
    while not times or (len(times) < 3 and times[0] < 1):
        began = time.perf_counter()
        picks = work()
        times.append(time.perf_counter() - began)
    seconds = min(times)
    print(json.dumps([seconds, peak_memory() - before, [int(pick) for pick in picks]]))


def contest(script: str, *arguments: object) -> Result | None:
    """Run a script in a process of its own; None if it cannot, for want of memory or a package."""
    command = [sys.executable, script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    return Result(*json.loads(done.stdout.splitlines()[-1]))
