# SPDX-License-Identifier: MIT
"""Check before a search starts that it fits into memory."""

import os

from gplandmark.errors import SettingsError


def available_memory() -> int | None:
    """Free memory in bytes, or None where the system does not report it."""
    try:
        with open("/proc/meminfo") as file:  # counts what caches would give back
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(vertex_count: int, bytes_per_landmark: float, count: int) -> None:
    """Refuse a search that would not fit, and say what would.

    Raises
    ------
    SettingsError
        More memory is needed than is free.
    """
    free = available_memory()
    needed = bytes_per_landmark * count
    if free is None or needed <= free:
        return
    raise SettingsError(
        f"{count:,} landmarks on {vertex_count:,} vertices need about {needed / 1e9:.1f} GB of "
        f"memory, and {free / 1e9:.1f} GB are free. Ask for at most "
        f"{int(free / bytes_per_landmark):,}, decimate the surface, or use a larger bandwidth."
    )
