# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file."""

from gplandmark.scans.inspecting import Inspection, inspect, inspect_all, out_of_line
from gplandmark.scans.properties import vertex_properties
from gplandmark.scans.reading import (
    ENDINGS,
    MESH_ENDINGS,
    is_mesh,
    read,
    read_cleaned,
    read_scan,
    specimen_name,
)
from gplandmark.scans.writing import as_ply

__all__ = [
    "ENDINGS",
    "MESH_ENDINGS",
    "Inspection",
    "as_ply",
    "inspect",
    "inspect_all",
    "is_mesh",
    "out_of_line",
    "read",
    "read_cleaned",
    "read_scan",
    "specimen_name",
    "vertex_properties",
]
