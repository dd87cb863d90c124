"""Claim: two workers do at least 1.8 times what one does, and the engine takes below 5 %.

The 24 teeth, then generated molars of 5,000 vertices (1,000 with ``--full``, else 100), with 40
landmarks each, by ``gplandmark batch`` as a library. The engine's share is the time of a run on
one worker beyond the time inside the jobs: scheduling, messages, writing, the journal. It is
measured after the worker has started, on whole runs in turn, because machines are noisy. Memory
is that of the run and its workers in the first and the last tenth. Going on is a second run,
which finds all done. "possible" is the ratio that the processors' own time allows: twice what a
specimen takes of it with one worker, over what it takes with two. It tells the truth also
where others use the machine.
"""

import argparse
import shutil
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import psutil
from specimens import FOLDER

from gplandmark import make_molar
from gplandmark.io.scans import as_ply
from gplandmark.runs.batch import Batch
from gplandmark.runs.discover import find_scans
from gplandmark.runs.engine import Machines, start_workers
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.place_job import PlacementTask
from gplandmark.runs.place_request import Request
from gplandmark.runs.plan import BatchOptions, make_plan
from gplandmark.runs.run_folder import open_run_folder

COUNT = 40
ROUNDS = 3


@dataclass
class Measured:
    """One run: seconds of it, of the processors and of its jobs, bytes at both ends, specimens."""

    wall: float
    busy: float
    inside: float
    first: float
    last: float
    specimens: int

    @property
    def rate(self) -> float:
        """Specimens in a second."""
        return self.specimens / self.wall


def memory() -> int:
    here = psutil.Process()
    return sum(each.memory_info().rss for each in (here, *here.children(recursive=True)))


def busy() -> float:
    here = psutil.Process()
    times = [each.cpu_times() for each in (here, *here.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def run(scans: Path, output: Path, count: int) -> Measured:
    with (
        start_workers(Machines(workers=count)) as workers,
        open_run_folder(output, "batch") as journal,
    ):
        found = find_scans([scans], output)
        tasks = [PlacementTask(each, Request(COUNT)) for each in found.specimens]
        first = make_plan(tasks, journal.entries, output, BatchOptions(limit=2 * count))
        list(Batch(output, journal, first, found).carry_out(JobRunner(workers)))
        plan = make_plan(tasks, journal.entries, output, BatchOptions())
        batch = Batch(output, journal, plan, found)
        used, inside = [], 0.0
        began, before = time.perf_counter(), busy()
        for entry in batch.carry_out(JobRunner(workers)):
            inside += entry.seconds
            used.append(memory())
        wall, taken = time.perf_counter() - began, busy() - before
        batch.finish([], datetime.now(UTC), stopped=False)
    tenth = max(1, len(used) // 10)
    return Measured(wall, taken, inside, median(used[:tenth]), median(used[-tenth:]), len(used))


def resumed(scans: Path, output: Path) -> float:
    began = time.perf_counter()
    with open_run_folder(output, "batch") as journal:
        found = find_scans([scans], output)
        tasks = [PlacementTask(each, Request(COUNT)) for each in found.specimens]
        plan = make_plan(tasks, journal.entries, output, BatchOptions())
        batch = Batch(output, journal, plan, found)
        assert not batch.plan.todo
        assert batch.is_reported()
    return time.perf_counter() - began


def report(name: str, scans: Path, folder: Path, rounds: int) -> None:
    runs: dict[int, list[Measured]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, measured in runs.items():
            output = folder / f"results-{workers}"
            shutil.rmtree(output, ignore_errors=True)
            measured.append(run(scans, output, workers))
    one, two = (median(each.rate for each in runs[workers]) for workers in (1, 2))
    possible = 2 * median(each.busy for each in runs[1]) / median(each.busy for each in runs[2])
    share = median((each.wall - each.inside) / each.inside for each in runs[1])
    last = runs[2][-1]
    print(
        f"{name:<8} {last.specimens:>6} {one:>9.2f} {two:>9.2f} {two / one:>7.2f} {possible:>8.2f} "
        f"{100 * share:>8.1f} % {last.first / 1e6:>7.0f} {last.last / 1e6:>7.0f} "
        f"{resumed(scans, folder / 'results-2'):>9.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="1,000 molars, one round")
    parser.add_argument("--molars", type=int, default=100)
    asked = parser.parse_args()
    molars = 1000 if asked.full else asked.molars
    print(f"{'':<15} {'1 worker':>9} {'2 workers':>9} {'ratio':>7} {'possible':>8} {'engine':>10} "
          f"{'MB first':>8} {'last':>6} {'going on':>11}")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        teeth = FOLDER / "data" / "teeth"
        if teeth.is_dir():
            report("teeth", teeth, folder, ROUNDS)
        (folder / "molars").mkdir()
        for seed in range(molars):
            scan = folder / "molars" / f"molar-{seed:04}.ply"
            scan.write_bytes(as_ply(make_molar(seed).surface))
        report("molars", folder / "molars", folder, 1 if asked.full else ROUNDS)


if __name__ == "__main__":
    main()
