"""Freed memory is reused."""

import platform
import subprocess
import sys

import pytest

CODE = """
import resource, sys
import numpy as np
from gplandmark.numerics.memory import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()
for _ in range(3):
    np.ones(2_000_000), np.ones(1_500_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    first, second = np.ones(2_000_000), np.ones(3_000_000)
    del first, second
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_pages_are_not_asked_for_again():
    def faults(how):
        command = [sys.executable, "-c", CODE, how]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert faults("kept") < 0.5 * faults("given back")


def test_where_there_is_no_glibc_nothing_happens(monkeypatch):
    import ctypes

    from gplandmark.numerics.memory import keep_freed_memory

    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert keep_freed_memory() is False
