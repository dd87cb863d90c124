"""Claim: whatever is killed during a run, the results end as those of a run in peace.

200 generated molars by ``gplandmark batch`` on two workers, with three scans that cannot be done:
one is cut short, one needs more memory than there is, one takes longer than the time-out. Runs are
disturbed at random times: processes of workers are killed, or the run itself is killed and begun
again, alone or with its workers. Then every file is compared with those of an undisturbed run, and
the summary but for its seconds. The script fails if a byte differs, if a file is left over, or if
a process outlives its run.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil

from gplandmark import Surface, make_molar
from gplandmark.io.scans import as_ply
from gplandmark.mesh.synthetic import sphere

LANDMARKS = 12
MEMORY, TIMEOUT = "700MB", 10
EXPECTED = {"broken": "damaged", "hungry": "memory", "slow": "longer than"}


def make_scans(folder: Path, count: int) -> None:
    folder.mkdir()
    for seed in range(count):
        molar = make_molar(seed, vertex_count=1500).surface
        (folder / f"molar-{seed:03}.ply").write_bytes(as_ply(molar))
    whole = as_ply(make_molar(0, vertex_count=1500).surface)
    (folder / "broken.ply").write_bytes(whole[: len(whole) // 2])
    (folder / "hungry.ply").write_bytes(as_ply(sphere(9).surface))
    (folder / "slow.ply").write_bytes(as_ply(_waves(60)))
    table = "file,kernel,eigenpairs\nscans/slow.ply,heat,3500\n"
    (folder.parent / "manifest.csv").write_text(table)


def _waves(side: int) -> Surface:
    """A sheet whose 3,500 eigenpairs take minutes and little memory."""
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    number = np.arange(side * side).reshape(side, side)
    a, b, c, d = (each.ravel() for each in
                  (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]))  # fmt: skip
    points = np.column_stack([x.ravel(), y.ravel(), 0.1 * np.sin(9 * x * y).ravel()])
    return Surface(points, np.vstack([np.column_stack([a, b, c]), np.column_stack([b, d, c])]))


def started(folder: Path, output: Path) -> psutil.Popen:
    asked = [
        sys.executable, "-m", "gplandmark", "batch", folder / "scans", "-o", output, "-q",
        "-n", LANDMARKS, "--workers", 2, "--memory", MEMORY, "--timeout", TIMEOUT,
        "--manifest", folder / "manifest.csv",
    ]  # fmt: skip
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return psutil.Popen([str(each) for each in asked], start_new_session=True, **quiet)


def children(run: psutil.Popen) -> list[psutil.Process]:
    try:
        return [each for each in run.children() if "gplandmark.runs.engine.child" in each.cmdline()]
    except psutil.Error:
        return []


def disturbed(folder: Path, output: Path, kills: int, chance: random.Random) -> dict[str, int]:
    """Run until the end, killing something every few seconds, then once more in peace."""
    killed = {"workers": 0, "runs": 0, "runs with workers": 0}
    seen: set[psutil.Process] = set()
    run = started(folder, output)
    while sum(killed.values()) < kills:
        time.sleep(chance.uniform(0.5, 6.0))
        if run.poll() is not None:
            run = started(folder, output)
            continue
        working = children(run)
        seen.update(working)
        kind = chance.choice(list(killed))
        if kind == "workers":
            for each in working:
                _kill(each)
        else:
            run.kill()
            run.wait()
            for each in working if kind == "runs with workers" else ():
                _kill(each)
            run = started(folder, output)
        killed[kind] += 1
    run.wait()
    last = started(folder, output)  # a job that was killed three times has failed until now
    assert last.wait() == 3
    _, alive = psutil.wait_procs(seen, timeout=30)
    assert not alive, f"{len(alive)} processes outlived their runs"
    return killed


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):  # it was faster
        process.kill()


def compared(output: Path) -> tuple[dict[str, bytes], list[dict[str, str]]]:
    """Every file by its name, and the rows of the summary without times."""
    found = {
        path.relative_to(output).as_posix(): path.read_bytes()
        for path in output.rglob("*")
        if path.is_file() and path.parent.name != ".gplandmark"
    }
    rows = list(csv.DictReader(found.pop("summary.csv").decode().splitlines()))
    files = {name: each for name, each in found.items() if name not in ("run.log", "run.json")}
    return files, [{**row, "seconds": ""} for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--molars", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_scans(folder / "scans", asked.molars)
        began = time.perf_counter()
        assert started(folder, folder / "peace").wait() == 3
        peace = time.perf_counter() - began
        files, rows = compared(folder / "peace")
        failed = {row["specimen"]: row["reason"] for row in rows if row["status"] != "done"}
        assert set(failed) == set(EXPECTED), failed
        assert all(word in failed[key] for key, word in EXPECTED.items()), failed
        began = time.perf_counter()
        killed = disturbed(folder, folder / "war", asked.kills, random.Random(asked.seed))
        war = time.perf_counter() - began
        others, other_rows = compared(folder / "war")
        assert others.keys() == files.keys(), sorted(others.keys() ^ files.keys())
        differing = [name for name in files if files[name] != others[name]]
        assert not differing, differing
        assert rows == other_rows
    for key, reason in failed.items():
        print(f"{key:<8} {reason[-90:]}")
    print(f"{'':<14} {'seconds':>8} {'files':>7}")
    print(f"{'in peace':<14} {peace:>8.1f} {len(files):>7}")
    print(f"{'disturbed':<14} {war:>8.1f} {len(others):>7}  all equal, after killing: "
          + ", ".join(f"{count} {what}" for what, count in killed.items()))  # fmt: skip


if __name__ == "__main__":
    main()
