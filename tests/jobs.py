"""Jobs that end in every way, for the tests of the engine; workers import this module."""

import os
import signal
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from gplandmark.errors import GplandmarkWarning, ScanError


def behave(what):
    """Do what the word says; give anything else back."""
    return DEEDS[what]() if what in DEEDS else what


def refuse():
    raise ScanError("This scan is refused.")


def fail():
    raise KeyError("a mistake of ours")


def eat():
    food = bytearray(b"x") * 1_000_000_000
    time.sleep(600)
    return food


def warn():
    warnings.warn("a note", GplandmarkWarning, stacklevel=1)
    return "warn"


def make_noise():
    sys.stdout.write("noise on the standard output\n" * 1000)
    sys.stdout.flush()
    return "print"


DEEDS = {
    "refuse": refuse,
    "fail": fail,
    "hang": lambda: time.sleep(600),
    "die": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: os._exit(7),
    "eat": eat,
    "warn": warn,
    "print": make_noise,
    "unpicklable": lambda: lambda: None,
}


def die_once(mark):
    """Die at the first attempt, of which a file tells the second."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def overlap(asked):
    """Return how many of these run at the same time; wait for a second one, but not for ever."""
    folder, patience = asked
    mine = Path(folder) / str(os.getpid())
    mine.touch()
    end = time.monotonic() + patience
    together = 1
    while together < 2 and time.monotonic() < end:
        time.sleep(0.01)
        together = len(list(Path(folder).iterdir()))
    time.sleep(0.1)  # so that the other sees this one, too
    mine.unlink()
    return together


def threads(_):
    import numpy as np
    from threadpoolctl import threadpool_info

    from gplandmark.numerics.threads import PROCESSORS

    np.dot(np.ones((9, 9)), np.ones((9, 9)))
    return max([PROCESSORS, *(each["num_threads"] for each in threadpool_info())])


@dataclass(frozen=True)
class Reading:
    """A task that reads one file."""

    path: Path

    def files(self):
        return [self.path]

    def moved(self, where):
        return Reading(where.get(self.path, self.path))


def size(task):
    return task.path.stat().st_size


def where(task):
    return str(task.path.parent), task.path.name


def refuse_file(task):
    raise ScanError("This scan is refused.", task.path)
