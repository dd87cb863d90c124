# SPDX-License-Identifier: MIT
"""What a PLY file says of its vertices besides where they are: colours, quality, labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from gplandmark.errors import ScanError
from gplandmark.io.scans.content import DamagedError
from gplandmark.io.scans.file_bytes import STANDARD_INPUT, file_bytes, unpacked
from gplandmark.io.scans.ply import ply_vertex_properties

__all__ = ["vertex_properties"]


def vertex_properties(path: str | Path) -> Mapping[str, npt.NDArray[Any]]:
    """Properties of the vertices of a PLY file by name, each of shape (n,); integers stay such.

    Ascii and binary files, of both byte orders, also packed. Lists are left out. Here n counts
    all vertices of the file; `Surface.from_file` gives those that cleaning kept.

    Raises
    ------
    ScanError
        The file is missing, no PLY, or damaged; or it is the standard input.
    """
    path = Path(path)
    if str(path) == STANDARD_INPUT:
        raise ScanError(
            "Colours and properties of vertices are read from a file, and this scan comes through "
            "the standard input. Save it as a PLY file, and name that."
        )
    is_packed = path.suffix.lower() == ".gz"
    if not path.name.lower().removesuffix(".gz").endswith(".ply"):
        raise ScanError(
            f"{path}: colours and properties of vertices are read from PLY files only. "
            "Export the scan as PLY."
        )
    content = file_bytes(path)
    content = unpacked(content, str(path)) if is_packed else content
    try:
        return ply_vertex_properties(content)
    except DamagedError as error:
        raise ScanError(f"{path} cannot be read as PLY: {error}. Export the scan again.") from None
