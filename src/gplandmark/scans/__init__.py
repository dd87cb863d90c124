# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file."""

from gplandmark.scans.properties import vertex_properties
from gplandmark.scans.reading import ENDINGS, MESH_ENDINGS, read
from gplandmark.scans.writing import as_ply

__all__ = ["ENDINGS", "MESH_ENDINGS", "as_ply", "read", "vertex_properties"]
