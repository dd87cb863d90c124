# SPDX-License-Identifier: MIT
"""What a PLY file says of its vertices besides where they are: colours, quality, labels."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.errors import ScanError
from gplandmark.scans.door import file_bytes, unpacked

__all__ = ["vertex_properties"]


def vertex_properties(path: str | Path) -> Mapping[str, npt.NDArray[Any]]:
    """Properties of the vertices of a PLY file by name, each of shape (n,) and of its own type.

    Ascii and binary files, of both byte orders, also packed. Lists are left out. Here n counts
    all vertices of the file; `Surface.from_file` gives those that cleaning kept.

    Raises
    ------
    ScanError
        The file is missing, no PLY, or damaged.
    """
    import trimesh  # slow to import

    path = Path(path)
    is_packed = path.suffix.lower() == ".gz"
    if not path.name.lower().removesuffix(".gz").endswith(".ply"):
        raise ScanError(
            f"{path}: colours and properties of vertices are read from PLY files only. "
            "Export the scan as PLY."
        )
    content = file_bytes(path)
    content = unpacked(content, str(path)) if is_packed else content
    try:
        loaded = trimesh.load(
            BytesIO(content), file_type="ply", process=False, fix_texture=False,
            skip_materials=True,
        )  # fmt: skip
        element = loaded.metadata["_ply_raw"]["vertex"]
        columns = {name: np.asarray(element["data"][name]) for name in element["properties"]}
    except Exception as error:  # a parser meets anything in a damaged file
        raise ScanError(
            f"{path} cannot be read as PLY. It may be damaged or cut short; export it again."
        ) from error
    count = int(element["length"])
    return {name: each.reshape(count) for name, each in columns.items() if each.size == count}
