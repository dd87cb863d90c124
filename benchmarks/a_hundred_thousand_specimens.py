"""Claim: what a run adds to the work on a specimen does not grow with their number.

Collections that are simulated, at several sizes, so that growth shows. First the one writer: files
of a specimen as large as real ones, and the line of the journal, written as a run writes them, with
and without waiting for the disk. Then what a run does with a whole collection, from the entries of
its journal: reading them, the summary, the report, the joint files; in seconds of the processor.
Then the engine alone: jobs that do nothing, or sleep, on workers that are threads of this process,
each with a child.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from gplandmark import make_molar
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import as_ply
from gplandmark.runs.batch import Batch
from gplandmark.runs.discover import Findings, ScanFile
from gplandmark.runs.engine import Job, Machines, run, start_workers
from gplandmark.runs.joint_files import write_joint
from gplandmark.runs.journal import Journal, JournalEntry
from gplandmark.runs.place_job import PlacementTask, SpecimenResult, place_on_scan
from gplandmark.runs.place_request import Request
from gplandmark.runs.plan import Plan
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.run_folder import make_folder, open_run_folder, output_paths

LANDMARKS = 40


def rest(seconds: float) -> bytes:
    """What a specimen sends back: 30 kB, after a while."""
    if seconds:
        time.sleep(seconds)
    return b"x" * 30_000


def resident() -> float:
    return psutil.Process().memory_info().rss / 1e6


def engine(count: int, threads: int, seconds: float) -> None:
    with start_workers(Machines(workers=threads)) as workers:
        list(run([Job(i, 0.0, 10**8) for i in range(2 * threads)], rest, workers))
        jobs = (Job(i, seconds, 10**8) for i in range(count))
        began, quarter = time.perf_counter(), 0.0
        for number, outcome in enumerate(run(jobs, rest, workers)):
            assert outcome.is_done
            if number == count // 4:
                quarter = resident()
        wall = time.perf_counter() - began
    ideal = seconds * count / threads
    print(f"{threads:>8} {seconds:>7} {count:>8,} {wall:>8.1f} {ideal:>6.1f} "
          f"{1000 * (wall - ideal) / count:>12.2f} {quarter:>9.0f} {resident():>7.0f}")  # fmt: skip


def specimen(folder: Path) -> SpecimenResult:
    scan = folder / "molar.ply"
    scan.write_bytes(as_ply(make_molar(1).surface))
    return place_on_scan(PlacementTask(ScanFile("molar", scan), Request(LANDMARKS)))


def collection(result: SpecimenResult, output: Path, count: int) -> list[JournalEntry]:
    """Write the files and the journal of many equal specimens, as a run does."""
    entries = []
    identity = Request(LANDMARKS).identity()
    with open_run_folder(output, "batch") as journal:
        for number in range(count):
            key = f"site-{number // 1000:03}/molar-{number:06}"
            files = output_paths(key, result.files)
            for name in files:
                make_folder((output / name).parent)
            write_atomically({output / name: content for name, content in files.items()})
            entry = JournalEntry(key, f"scans/{key}.ply", identity=identity,
                          outputs=dict.fromkeys(files, "0" * 64), facts=result.facts)  # fmt: skip
            journal.add(entry)
            entries.append(entry)
    return entries


def _hasty(_: int) -> None:
    """Do not wait for the disk."""


def writer(result: SpecimenResult, folder: Path, counts: Iterable[int]) -> None:
    size = sum(map(len, result.files.values()))
    print(f"\nwriter: {len(result.files)} files of {size / 1e3:.0f} kB together for each specimen")
    print(f"{'specimens':>10} {'ms each':>8} {'without waiting for the disk':>29}")
    for count in counts:
        times = []
        waited = os.fsync
        for name in ("safe", "hasty"):
            os.fsync = waited if name == "safe" else _hasty
            began = time.perf_counter()
            collection(result, folder / f"{name}-{count}", count)
            times.append(1000 * (time.perf_counter() - began) / count)
        os.fsync = waited
        print(f"{count:>10,} {times[0]:>8.2f} {times[1]:>29.2f}")


def ends(result: SpecimenResult, folder: Path, counts: Iterable[int]) -> None:
    print("\nwhole collections, seconds of one processor")
    names = ("journal", "summary", "told?", "report", "joint files", "MB")
    print(f"{'specimens':>10} " + " ".join(f"{name:>11}" for name in names) + "  MB on disk, files")
    os.fsync = _hasty
    for count in counts:
        output = folder / f"whole-{count}"
        collection(result, output, count)
        before = resident()
        journal, opening = timed(partial(Journal, output))
        tasks = {key: PlacementTask(ScanFile(key, Path(each.file)), Request(LANDMARKS))
                 for key, each in journal.entries.items()}  # fmt: skip
        batch = Batch(output, journal, Plan(tasks, {}), Findings())
        entries = batch.entries()
        times = [opening, timed(batch.write_summary)[1], timed(batch.is_reported)[1]]
        page, seconds = timed(partial(batch_page, entries, output))
        joint = timed(partial(write_joint, entries, output))[1]
        used = resident() - before
        journal.close()
        on_disk = [path.stat().st_size for path in output.rglob("*") if path.is_file()]
        print(f"{count:>10,} " + " ".join(f"{each:>11.2f}" for each in (*times, seconds, joint))
              + f" {used:>11.0f}  {sum(on_disk) / 1e6:,.0f}, {len(on_disk):,} "
              f"(page {len(page) / 1e6:.1f} MB)", flush=True)  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"peak memory of this process {peak:,.0f} MB")


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Seconds of the processor, because others use the machine, too."""
    began = time.process_time()
    value = function()
    return value, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=20_000)
    asked = parser.parse_args()
    steps = (asked.jobs // 10, asked.jobs // 2, asked.jobs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = specimen(folder)
        writer(result, folder, (asked.jobs // 40,))
        ends(result, folder, steps)
    print("\nengine: jobs that sleep")
    print(" workers   sleep     jobs  seconds  ideal  ms more each  MB at 1/4  at end")
    for count in steps:
        engine(count, 2, 0.0)
    engine(1000, 32, 0.6)


if __name__ == "__main__":
    main()
