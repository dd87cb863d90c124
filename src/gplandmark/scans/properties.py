# SPDX-License-Identifier: MIT
"""What a PLY file says of its vertices besides where they are: colours, quality, labels."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gplandmark.errors import ScanError

__all__ = ["vertex_properties"]


def vertex_properties(path: str | Path) -> Mapping[str, npt.NDArray[Any]]:
    """Properties of the vertices of a PLY file by name, each of shape (n,) and of its own type.

    Ascii and binary files, of both byte orders. Lists are left out.

    Raises
    ------
    ScanError
        The file is missing, no PLY, or damaged.
    """
    import trimesh  # slow to import

    path = Path(path)
    if path.suffix.lower() != ".ply":
        raise ScanError(
            f"{path}: colours and properties of vertices are read from PLY files only. "
            "Export the scan as PLY."
        )
    try:
        loaded = trimesh.load(
            BytesIO(path.read_bytes()), file_type="ply", process=False, fix_texture=False,
            skip_materials=True,
        )  # fmt: skip
        element = loaded.metadata["_ply_raw"]["vertex"]
        columns = {name: np.asarray(element["data"][name]) for name in element["properties"]}
    except FileNotFoundError:
        raise ScanError(f"{path}: there is no such file. Check the name and the folder.") from None
    except Exception as error:  # a parser meets anything in a damaged file
        raise ScanError(
            f"{path} cannot be read as PLY. It may be damaged or cut short; export it again."
        ) from error
    count = int(element["length"])
    return {name: each.reshape(count) for name, each in columns.items() if each.size == count}
