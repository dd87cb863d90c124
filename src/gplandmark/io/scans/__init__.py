# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file."""

from gplandmark.io.scans.read import (
    ENDINGS,
    MESH_ENDINGS,
    is_mesh,
    read,
    read_cleaned,
    read_scan,
    specimen_name,
)
from gplandmark.io.scans.vertex_properties import vertex_properties
from gplandmark.io.scans.write_ply import as_ply

__all__ = [
    "ENDINGS",
    "MESH_ENDINGS",
    "as_ply",
    "is_mesh",
    "read",
    "read_cleaned",
    "read_scan",
    "specimen_name",
    "vertex_properties",
]
