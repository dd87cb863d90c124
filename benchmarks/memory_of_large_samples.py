"""Claim: the memory of `gplandmark match` hardly grows with the number of specimens.

Generated molars are matched from nothing, at several sizes of the sample. The memory is that of
the process of the run, sampled while it works: its peak, and how much it grows per specimen. The
child processes that fit maps are counted beside it; they do not grow. With `--workers 0` on the
command line of `match` there would be no children. `--keep FOLDER` resumes an interrupted run.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

LOOK = 0.2  # seconds between looks at the memory


def molars(folder: Path, count: int) -> Path:
    """Scans of so many individuals."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(count):
        path = folder / f"molar-{seed:05}.ply"
        if not path.exists():
            path.write_bytes(as_ply(make_molar(seed).surface))
    return folder


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--keep", type=Path, help="folder for scans and results")
    asked = parser.parse_args()
    print(
        f"{'specimens':>10} {'seconds':>8} {'peak MB':>8} {'MB per specimen':>16} {'a child, MB':>12}"
    )
    before: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        for count in asked.counts:
            scans = molars(folder / f"scans-{count}", count)
            command = [sys.executable, "-m", "gplandmark", "match", str(scans), "-n", "30",
                       "-q", "-o", str(folder / f"matched-{count}")]  # fmt: skip
            seconds, peak, of_child = watched(command)
            growth = "" if before is None else f"{(peak - before[1]) / (count - before[0]):.2f}"
            print(f"{count:>10,} {seconds:>8.0f} {peak:>8.0f} {growth:>16} {of_child:>12.0f}",
                  flush=True)  # fmt: skip
            before = count, peak


if __name__ == "__main__":
    main()
