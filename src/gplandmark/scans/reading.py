# SPDX-License-Identifier: MIT
"""One door for every scan: find the format, parse it, refuse what is neither surface nor cloud."""

import hashlib
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import GplandmarkWarning, ScanError
from gplandmark.scans.numbering import plain_obj, weld
from gplandmark.scans.points import POINT_READERS
from gplandmark.scans.promises import promised
from gplandmark.surface import Source, Surface

__all__ = ["ENDINGS", "MESH_ENDINGS", "read"]

MESH_ENDINGS = (".ply", ".obj", ".stl", ".off")
ENDINGS = (*MESH_ENDINGS, *POINT_READERS)

WELDED = "STL has no vertex numbers: vertices of the welded surface, in order of appearance, from 0"

# Options that keep trimesh from renumbering vertices.
OPTIONS: dict[str, dict[str, Any]] = {
    ".ply": {"fix_texture": False, "skip_materials": True},
    ".obj": {"maintain_order": True, "skip_materials": True},
    ".stl": {},
    ".off": {},
}

MEND: dict[str, Callable[[bytes], bytes]] = {".obj": plain_obj}


def read(path: str | Path) -> Surface:
    """Read one specimen: a surface from a PLY, OBJ, STL or OFF file, or a bare cloud of points.

    XYZ, CSV and NPY files hold points, and so does a PLY, OBJ or OFF file without faces; the
    result then has no triangles.

    Coordinates and vertex numbers are those of the file. STL files hold loose triangles
    and no vertex numbers: corners with exactly equal coordinates are welded into one
    vertex, and `Surface.source.numbering` says so.

    Raises
    ------
    ScanError
        The file is missing or unreadable, its ending is unknown, it is not what its ending
        says, or what it holds is neither a surface nor a cloud of points.
    """
    path = Path(path)
    if path.is_dir():
        raise ScanError(f"{path} is a folder. Name one scan inside it.")
    ending = _ending(path)
    content = _content(path)
    if ending in POINT_READERS:
        points, triangles = POINT_READERS[ending](content, str(path)), None
    else:
        points, triangles = _mesh(content, ending, path)
    source = Source(str(path), hashlib.sha256(content).hexdigest())
    if ending == ".stl" and triangles is not None:
        points, triangles = weld(points, triangles)
        source = Source(source.path, source.sha256, WELDED)
    try:
        return Surface(points, triangles, path.stem, source=source)
    except ScanError as error:
        raise ScanError(str(error).replace(path.stem, str(path), 1)) from None


def _mesh(content: bytes, ending: str, path: Path) -> tuple[FloatArray, IndexArray | None]:
    """Points and triangles; None for the triangles where the file has faces of no kind."""
    points, triangles = _parse(content, ending, path)
    counts = promised(content, ending)
    _check_whole(counts, len(points), len(triangles), path)
    if len(triangles) or len(points) == 0:
        return points, triangles
    if ending != ".ply":  # PLY is a common format of point clouds
        warnings.warn(
            f"{path} has {len(points):,} vertices but no faces; it is read as a cloud of points.",
            GplandmarkWarning,
            stacklevel=3,
        )
    return points, None


def _check_whole(
    counts: tuple[int, int] | None, vertex_count: int, triangle_count: int, path: Path
) -> None:
    """Refuse a file that holds less than its header promises; polygons may have made more."""
    if counts is None:
        return
    if vertex_count != counts[0] or triangle_count < counts[1]:
        raise ScanError(
            f"{path} is damaged or cut short: its header promises {counts[0]:,} vertices and "
            f"{counts[1]:,} faces, but {vertex_count:,} and {triangle_count:,} could be read. "
            "Export the scan again."
        )


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(known.removeprefix(".").upper() for known in ENDINGS)
        raise ScanError(
            f"{path}: cannot read a scan that ends in '{path.suffix}'. Export it as one of {known}."
        )
    return ending


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ScanError(f"{path}: there is no such file. Check the name and the folder.") from None
    except OSError as error:
        raise ScanError(
            f"{path} cannot be read ({error.strerror}). Check its permissions."
        ) from None
    if not content.strip():
        raise ScanError(f"{path} is empty. Export the scan again.")
    return content


def _parse(content: bytes, ending: str, path: Path) -> tuple[FloatArray, IndexArray]:
    import trimesh  # slow to import, and only readers need it

    try:
        if ending in MEND:
            content = MEND[ending](content)
        loaded = trimesh.load(
            BytesIO(content), file_type=ending[1:], process=False, **OPTIONS[ending]
        )
        if isinstance(loaded, trimesh.Scene):
            loaded = loaded.to_mesh()  # several solids in one file
        points = np.asarray(loaded.vertices, dtype=np.float64).reshape(-1, 3)
        triangles = np.asarray(getattr(loaded, "faces", ()), dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # a parser meets anything in a damaged file
        raise ScanError(
            f"{path} cannot be read as {ending[1:].upper()}. "
            "It may be damaged, cut short or another kind of file; export the scan again, "
            "with triangles only."
        ) from error
    return points, triangles
