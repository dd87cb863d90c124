"""Freed memory is reused."""

import platform
import subprocess
import sys

import pytest

CODE = """
import sys
from pathlib import Path
import numpy as np
from gplandmark.numerics.memory import keep_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

if sys.argv[1] == "kept":
    assert keep_freed_memory()
before = resident()
large = np.ones(3_000_000)
held = resident() - before
del large
print((resident() - before) / held)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
@pytest.mark.parametrize(("how", "fraction"), [("kept", 1), ("given back", 0)])
def test_freed_memory_stays_ours_if_it_is_kept(how, fraction):
    command = [sys.executable, "-c", CODE, how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(fraction, abs=0.2)


def test_where_there_is_no_glibc_nothing_happens(monkeypatch):
    import ctypes

    from gplandmark.numerics.memory import keep_freed_memory

    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert keep_freed_memory() is False
