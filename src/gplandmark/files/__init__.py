# SPDX-License-Identifier: MIT
"""Landmark files: the ending of the name chooses the format.

A new format is one module with a `parse` and a `text` function, and one line in `FORMATS`.
"""

from gplandmark.files.formats import FORMATS, check_not_foreign, read_landmarks, write
from gplandmark.files.whole import check_writable, write_whole

__all__ = [
    "FORMATS",
    "check_not_foreign",
    "check_writable",
    "read_landmarks",
    "write",
    "write_whole",
]
