"""``match`` on workers that speak over TCP, one of which is killed: the same bytes."""

import subprocess
import sys
import time

import pytest
from dask_cluster import cluster, kill_worker

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the signals are of POSIX"),
]


def asked_of(scans, output, *more):
    arguments = ["match", scans, "-o", output, "-n", 12, "-q", *more]
    return [sys.executable, "-m", "gplandmark", *map(str, arguments)]


def landmark_files(output):
    return {
        path.relative_to(output): path.read_bytes()
        for name in ("landmarks", "collection")
        for path in (output / name).rglob("*")
        if path.is_file()
    }


def test_a_killed_worker_does_not_change_a_byte(tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for seed in range(6):
        molar = make_molar(seed, vertex_count=1500).surface
        (scans / f"molar-{seed}.ply").write_bytes(as_ply(molar))
    subprocess.run(asked_of(scans, tmp_path / "here"), check=True, timeout=600)
    with cluster(tmp_path, workers=4) as (address, workers):
        elsewhere = tmp_path / "elsewhere"
        command = asked_of(scans, elsewhere, "--scheduler", address)
        with subprocess.Popen(command) as process:
            store = elsewhere / ".gplandmark" / "matching.sqlite"
            while not store.exists() or store.stat().st_size < 5_000_000:  # maps are on their way
                time.sleep(0.1)
                assert process.poll() is None, "it ended before a worker could be killed"
            kill_worker(workers[0])
            assert process.wait(timeout=600) == 0
    assert landmark_files(elsewhere) == landmark_files(tmp_path / "here")
    assert len(landmark_files(elsewhere)) > 6
