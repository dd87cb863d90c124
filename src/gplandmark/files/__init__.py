# SPDX-License-Identifier: MIT
"""Landmark files: the ending of the name chooses the format.

A new format is one module with a `parse` and a `text` function, and one line in `FORMATS`.
"""

from gplandmark.files.folder import folder_contents, read_folder
from gplandmark.files.formats import (
    FORMATS,
    contents,
    format_of,
    read_collection,
    read_landmarks,
    write,
    write_collection,
)
from gplandmark.files.replacing import check_not_foreign
from gplandmark.files.whole import check_writable, write_whole

__all__ = [
    "FORMATS",
    "check_not_foreign",
    "check_writable",
    "contents",
    "folder_contents",
    "format_of",
    "read_collection",
    "read_folder",
    "read_landmarks",
    "write",
    "write_collection",
    "write_whole",
]
