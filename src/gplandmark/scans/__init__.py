# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file."""

from gplandmark.scans.reading import ENDINGS, read, read_cleaned, read_scan
from gplandmark.scans.writing import as_ply

__all__ = ["ENDINGS", "as_ply", "read", "read_cleaned", "read_scan"]
