"""Claim: the memory of `gplandmark match` hardly grows with the number of specimens.

Generated molars are matched from nothing, at several sizes of the sample. The memory is that of
the process of the run, sampled while it works: its peak, and how much it grows per specimen. The
child processes that fit maps are counted beside it; they do not grow. `--keep FOLDER` keeps scans
and results, so that an interrupted run resumes.

With `--simulated` no map is fitted: each job gets the result of an earlier one of its kind, of the
same size, so that thousands of specimens take minutes. Everything that the run itself does with
the results is real.

With `--coarse` every map is fitted, but to 200 points of a surface instead of 5,000, in the
process of the run: a specimen takes about a second, and what the run holds of all specimens and
pairs is as large as ever.
"""

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from gplandmark import make_molar
from gplandmark.io.scans import as_ply
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.runs.engine import Job, Outcome

LOOK = 0.2  # seconds between looks at the memory
POOL = 20  # different specimens of a simulated sample
COARSE = (50, 60, 100, 150, 200)  # points of each level of detail


def molars(folder: Path, count: int, different: int, vertices: int) -> Path:
    """Scans of so many individuals; some of them differ in a comment only."""
    folder.mkdir(parents=True, exist_ok=True)
    contents: list[bytes] = []
    for number in range(count):
        path = folder / name_of(number)
        if path.exists():
            continue
        if len(contents) <= number % different:
            contents.append(as_ply(make_molar(number, vertex_count=vertices).surface))
        first, rest = contents[number % different].split(b"element", 1)
        path.write_bytes(first + f"comment {number}\nelement".encode() + rest)
    return folder


def name_of(number: int) -> str:
    return f"molar-{number:06}.ply"


def watched(command: list[str]) -> tuple[float, float, float]:
    """Seconds, and the peak in MB of a process and of the largest of its children."""
    began, peak, of_child = time.perf_counter(), 0.0, 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        parent = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, parent.memory_info().rss / 1e6)
                sizes = [each.memory_info().rss / 1e6 for each in parent.children(recursive=True)]
                of_child = max(of_child, *sizes, 0.0)
            except psutil.Error:  # it has just ended
                pass
            time.sleep(LOOK)
        if process.returncode:
            sys.exit(f"match failed with {process.returncode}")
    return time.perf_counter() - began, peak, of_child


def simulated_match(arguments: list[str]) -> None:
    """Run `gplandmark` in this process, with jobs that take no time."""
    from gplandmark.cli.main import main as program
    from gplandmark.runs import job_runner

    known: dict[tuple[str, int], Any] = {}

    def answer(function: Callable[[Any], Any], number: int, argument: Any) -> Any:
        kind = function.__name__, number % POOL if function.__name__ == "prepare_scan" else 0
        value = known.get(kind)
        if value is None:
            value = known[kind] = function(argument)
        if kind[0] == "prepare_scan":
            surface = replace(value.specimen.surface, name=argument.key)
            return replace(value, specimen=value.specimen.with_surface(surface))
        if kind[0] == "align_surfaces":
            same = Pose(np.eye(3), np.zeros(3))
            return Alignment(same, 0.02 + number % 97 / 5000, 0.2, 0.2)
        if kind[0] == "carry_to_scan":
            own, other = argument.scan.path.stem.encode(), name_of(0)[:-4].encode()
            files = {name: each.replace(other, own) for name, each in value.files.items()}
            return replace(value, files=files)
        return value

    def run(
        jobs: Iterable[Job], function: Callable[[Any], Any], *_: Any, **__: Any
    ) -> Iterator[Outcome]:
        for number, job in enumerate(jobs):
            argument = pickle.loads(pickle.dumps(job.argument))  # as it travels to a worker
            yield Outcome(job.key, answer(function, number, argument))

    job_runner.run = run  # type: ignore[assignment]
    sys.argv[1:] = arguments
    program()


def coarse_match(arguments: list[str]) -> None:
    """Run `gplandmark` in this process, with few points on each surface."""
    from gplandmark.cli.main import main as program
    from gplandmark.morphometrics.matching import points, pose_search, registration, sampling
    from gplandmark.runs import stored_checks

    for module in (points, sampling, stored_checks):
        module.LEVELS = COARSE  # type: ignore[attr-defined]
    sampling.FEWEST = pose_search.COMPARED = registration.POINTS = COARSE[-1]
    sys.argv[1:] = [*arguments, "--workers", "0"]
    program()


MODES = {"simulated": simulated_match, "coarse": coarse_match}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--vertices", type=int, default=5000, help="of one molar")
    parser.add_argument("--keep", type=Path, help="folder for scans and results")
    for mode in MODES:
        parser.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode)
    asked = parser.parse_args()
    print(" specimens  seconds  peak MB  MB per specimen  a child, MB")
    before: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        for count in asked.counts:
            different = POOL if asked.mode == "simulated" else count
            scans = molars(folder / f"scans-{count}", count, different, asked.vertices)
            program = [__file__, asked.mode] if asked.mode else ["-m", "gplandmark"]
            command = [sys.executable, *program, "match", str(scans), "-n", "30", "-q", "-o",
                       str(folder / f"matched-{count}")]  # fmt: skip
            seconds, peak, of_child = watched(command)
            growth = "" if before is None else f"{(peak - before[1]) / (count - before[0]):.2f}"
            print(f"{count:>10,} {seconds:>8.0f} {peak:>8.0f} {growth:>16} {of_child:>12.0f}",
                  flush=True)  # fmt: skip
            before = count, peak


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in MODES:
        MODES[sys.argv[1]](sys.argv[2:])
    else:
        main()
