"""A Dask cluster on this computer: a scheduler and workers that speak over TCP."""

import socket
import subprocess
import sys
from contextlib import contextmanager

import psutil


@contextmanager
def cluster(folder, workers=2):
    """A scheduler and workers that share nothing but the disk, each with a folder of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    port = address.rpartition(":")[2]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
        "--port", port, "--dashboard-address", "127.0.0.1:0",
    ]  # fmt: skip
    running = [subprocess.Popen(scheduler, **quiet)]
    for number in range(workers):
        own = folder / f"host-{number}"
        own.mkdir()
        asked = [
            sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1",
            "--memory-limit", "1GB", "--no-dashboard", "--local-directory", str(own), "--nanny",
        ]  # fmt: skip
        running.append(subprocess.Popen(asked, cwd=own, **quiet))
    try:
        yield address, running[1:]
    finally:
        for each in running:
            for child in psutil.Process(each.pid).children(recursive=True):
                child.kill()
            each.kill()
            each.wait()


def kill_worker(nanny):
    """Kill the worker of a nanny, which starts it again."""
    for each in psutil.Process(nanny.pid).children(recursive=True):
        if "spawn_main" in " ".join(each.cmdline()):
            each.kill()
