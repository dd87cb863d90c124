# SPDX-License-Identifier: MIT
"""Scans: files on disk become surfaces, in the coordinates and numbering of the file.

Import from here; `rules` and `clean` have the cleaning, `topology` counts pieces and holes.
"""

from gplandmark.io.scans.names import specimen_name
from gplandmark.io.scans.ply import as_ply
from gplandmark.io.scans.read import (
    EXTENSIONS,
    MESH_EXTENSIONS,
    is_mesh,
    is_scan,
    read,
    read_cleaned,
    read_scan,
    vertex_properties,
)

__all__ = [
    "EXTENSIONS",
    "MESH_EXTENSIONS",
    "as_ply",
    "is_mesh",
    "is_scan",
    "read",
    "read_cleaned",
    "read_scan",
    "specimen_name",
    "vertex_properties",
]
