"""The viewer in a process of its own, for benchmarks in a browser."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(place: Path, *options: object) -> Iterator[str]:
    """Run `gplandmark view` on a scan or a folder, and yield its address."""
    command = [sys.executable, "-m", "gplandmark", "view", place, "--no-browser", *options]
    process = subprocess.Popen(
        [str(each) for each in command], cwd=place.parent, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        while not line.startswith("Open http"):
            line = process.stdout.readline()
        yield line.split()[1]
    finally:
        process.terminate()
        process.communicate()
