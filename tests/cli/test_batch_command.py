"""The command ``batch`` as a user meets it: processes, signals, and workers on other machines."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from commands import compared
from dask_cluster import cluster, kill_worker

from gplandmark import GplandmarkError, make_molar
from gplandmark.cli.main import cli
from gplandmark.io.scans import as_ply

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the signals are of POSIX")

SPECIMENS = 8


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collection") / "scans"
    folder.mkdir()
    for seed in range(SPECIMENS):
        molar = make_molar(seed, vertex_count=1500).surface
        (folder / f"molar-{seed}.ply").write_bytes(as_ply(molar))
    (folder / "broken.ply").write_bytes(b"ply\nbroken")
    return folder


@pytest.fixture(scope="module")
def whole(scans):
    """An undisturbed run, to compare with."""
    output = scans.parent / "whole"
    done = batch(scans, output)
    assert done.returncode == 3, done.stderr
    return output


def command(*arguments):
    return [sys.executable, "-m", "gplandmark", "batch", *map(str, arguments)]


def batch(scans, output, *more, workers=2):
    asked = command(scans, "-o", output, "-n", 12, "--workers", workers, *more)
    return subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)


@contextmanager
def begun(scans, output, *more, ended=2):
    """A run of which some specimens have ended, in a group of processes of its own."""
    asked = command(scans, "-o", output, "-n", 12, *more)
    process = subprocess.Popen(
        asked, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until(lambda: entries(output) >= ended or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be disturbed"
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=300)


def entries(output):
    journal = output / ".gplandmark" / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_until(condition, patience=100):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "waited for too long"
        time.sleep(0.02)


def children(process):
    found = psutil.Process(process.pid).children(recursive=True)
    return [each for each in found if "gplandmark.runs.engine.child" in " ".join(each.cmdline())]


def test_the_run_says_what_it_did_and_the_exit_code_that_some_failed(scans, whole):
    again = batch(scans, whole)
    assert again.returncode == 3
    assert f"{SPECIMENS} already done" in again.stdout
    assert "1  to do: failed before" in again.stdout
    assert f"{SPECIMENS} specimens with landmarks, 1 failed" in again.stdout
    assert "failed: broken: " in again.stderr
    with (whole / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == SPECIMENS + 1
    log = (whole / "run.log").read_text()
    assert log.count("done    molar-") == SPECIMENS
    about = json.loads((whole / "run.json").read_text())
    assert about["settings"]["count"] == 12
    assert not about["stopped"]


def test_a_dry_run_says_why_and_touches_nothing(scans, whole, tmp_path):
    done = batch(scans, tmp_path / "none", "--dry-run")
    assert done.returncode == 0
    assert "molar-3: new" in done.stdout
    assert not (tmp_path / "none").exists()
    done = batch(scans, whole, "--dry-run", "--bandwidth", 0.01)
    assert f"{SPECIMENS}  to do: bandwidth 0.008 -> 0.01, preset paper -> custom" in done.stdout


def test_ctrl_c_finishes_writing_and_says_how_to_go_on(scans, whole, tmp_path):
    output = tmp_path / "out"
    with begun(scans, output, "--workers", 1) as process:
        working = children(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "run the same command again" in errors
    assert "Traceback" not in errors
    assert not [each for each in working if each.is_running()]
    assert json.loads((output / "run.json").read_text())["stopped"]
    kept = entries(output)
    assert kept < SPECIMENS + 1
    assert batch(scans, output).returncode == 3
    assert compared(output) == compared(whole)


def test_a_power_cut_loses_nothing_and_nothing_is_done_twice(scans, whole, tmp_path):
    output = tmp_path / "out"
    with begun(scans, output, "--workers", 2) as process:
        everything = [*children(process), process]
        for each in everything:
            each.kill()
    assert not list(output.rglob("*.html"))
    done = (output / "run.log").read_text().count("done    ")
    finished = sum(
        not json.loads(line)["kind"]
        for line in (output / ".gplandmark" / "journal.jsonl").read_text().splitlines()
    )
    assert done in (finished, finished - 1)  # it may have been killed between the two
    again = batch(scans, output)
    assert f"{finished} already done" in again.stdout
    assert compared(output) == compared(whole)


def test_killed_workers_do_not_change_the_results(scans, whole, tmp_path):
    output = tmp_path / "out"
    with begun(scans, output, "--workers", 2, ended=1) as process:
        for each in children(process):
            each.kill()
        process.communicate(timeout=300)
    assert process.returncode == 3
    assert compared(output) == compared(whole)


def test_the_second_run_into_a_folder_is_refused(scans, tmp_path):
    output = tmp_path / "out"
    with begun(scans, output, "--workers", 1, ended=1) as first:
        first.send_signal(signal.SIGSTOP)  # so that it cannot end before the second begins
        second = batch(scans, output)
        first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert f"Another run is writing into {output} (process {first.pid}" in second.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--memory", "much"], "12GB"),
        (["--format", ".docx"], "unknown landmark file extension"),
        (["-n", "0"], "at least 1"),
        (["--manifest", "missing.csv"], "missing.csv"),
        (["--weight", "missing.npy"], "missing.npy"),
        (["--workers", "0", "--scheduler", "tcp://a:1"], "--workers 0"),
    ],
)
def test_bad_requests_are_one_sentence_before_any_work(scans, tmp_path, arguments, words):
    asked = ["batch", str(scans), "-o", str(tmp_path / "out"), *arguments]
    done = CliRunner().invoke(cli, asked, standalone_mode=False)
    assert isinstance(done.exception, GplandmarkError)
    assert words in str(done.exception)
    assert not (tmp_path / "out" / "landmarks").exists()


@pytest.mark.slow
def test_workers_elsewhere_give_the_same_results_and_may_die(scans, whole, tmp_path):
    output = tmp_path / "out"
    with cluster(tmp_path) as (address, workers):
        done = batch(scans, output, "--scheduler", address, "--send", workers=2)
        assert done.returncode == 3, done.stderr
        assert compared(output) == compared(whole)
        with begun(scans, tmp_path / "second", "--scheduler", address, ended=1) as process:
            kill_worker(workers[0])
            process.communicate(timeout=300)
        assert process.returncode == 3
    assert compared(tmp_path / "second") == compared(whole)


def test_the_slurm_configuration_of_the_docs_gives_the_same_results(scans, whole, tmp_path):
    """The class of dask-jobqueue with a stand-in for the queue, which starts jobs at once."""
    pytest.importorskip("dask_jobqueue")
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
    text = re.search(r"```yaml\n(.*?)```", page, re.DOTALL).group(1)
    for name, value in (("cores", "1"), ("memory", "1GB"), ("local-directory", tmp_path)):
        text = re.sub(rf"{name}: [^ \n]+", f"{name}: {value}", text)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "jobqueue.yaml").write_text(text.replace("- . $HOME", "- true $HOME"))
    for name, code in (
        ("sbatch", 'setsid bash "$1" > /dev/null 2>&1 & echo "Submitted batch job $!"'),
        ("scancel", f'kill -- "-$1"; echo "$1" >> {tmp_path}/cancelled'),
    ):
        (tmp_path / name).write_text(f"#!/bin/bash\n{code}\n")
        (tmp_path / name).chmod(0o755)
    around = {**os.environ, "DASK_CONFIG": str(tmp_path / "config")}
    around["PATH"] = f"{tmp_path}{os.pathsep}{around['PATH']}"
    asked = ["--cluster", "dask_jobqueue.SLURMCluster", "--workers", "2"]
    output = tmp_path / "out"
    done = subprocess.run(
        command(scans, "-o", output, "-n", 12, *asked),
        capture_output=True, text=True, timeout=600, check=False, env=around,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert compared(output) == compared(whole)
    jobs = [int(line) for line in (tmp_path / "cancelled").read_text().split()]
    assert len(jobs) >= 2  # a job whose worker was slow to come may be sent again
    wait_until(lambda: not any(map(psutil.pid_exists, jobs)))
