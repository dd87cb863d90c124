# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file."""

from gplandmark.scans.reading import ENDINGS, read

__all__ = ["ENDINGS", "read"]
