# SPDX-License-Identifier: MIT
"""How a program of ours treats memory that it has freed."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
KEPT, LARGE = 2**27, 2**25


def keep_freed_memory() -> bool:
    """Reuse freed memory, up to 128 MB, instead of giving it back at once; say whether that is so.

    With glibc only. Asking the system for the same pages again takes a third of the time of a
    million vertices. It concerns the whole process: a command may decide that, a library may not.
    """
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, LARGE)) and bool(mallopt(M_TRIM_THRESHOLD, KEPT))
