# SPDX-License-Identifier: MIT
"""Surfaces from what other programs hold: their mesh objects, arrays, or the path of a file."""

from collections.abc import Callable
from os import PathLike
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkError, ScanError
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import whole_numbers
from gplandmark.numerics.arrays import IndexArray
from gplandmark.numerics.public import public

TAKEN = (
    "Give a Surface, the path of a scan, points (n, d), a pair of points and triangles, or a mesh "
    "of trimesh, PyVista, Open3D, meshio or vedo."
)


def as_surface(thing: Any, name: str | None = None) -> Surface:
    """Make a surface of a mesh, of points, or of the path of a scan; a `Surface` is returned as is.

    No library is imported for it: what counts are the attributes of the object. Coordinates are
    kept, in double precision. Only a scan that is read from a file is cleaned.

    ====================================  ====================================================
    str, Path                             `gplandmark.read`
    (points, triangles)                   as igl and potpourri3d have them
    array (n, d)                          a cloud of points; also a table of numbers, a tensor
    `.vertices` and `.faces`              trimesh; without faces a cloud
    `.vertices` and `.triangles`          Open3D
    `.vertices` and `.cells`              vedo
    `.points` and `.faces`                PyVista; polygons are divided into triangles
    `.points` and `.cells`                meshio, if its faces are triangles
    ====================================  ====================================================

    Parameters
    ----------
    thing : any of these
    name : the specimen's name; by default "surface", or that of the file

    Raises
    ------
    ScanError
        It is none of these, or not a surface that can carry landmarks.
    """
    if isinstance(thing, Surface):
        return thing
    if isinstance(thing, str | PathLike):
        read: Callable[[str | PathLike[str]], Surface] = public("read")
        return read(thing)
    try:
        points, triangles = _parts(thing)
    except GplandmarkError:
        raise
    except Exception as reason:  # properties of another library may compute, and fail
        raise ScanError(f"{short_repr(thing)} does not give its mesh: {reason}.") from reason
    return Surface(points, triangles, "surface" if name is None else name)


def _parts(thing: Any) -> tuple[Any, Any]:
    """Points, and triangles if there are any."""
    for points in ("vertices", "points"):
        if hasattr(thing, points) and not isinstance(thing, type):
            return getattr(thing, points), _triangles(thing)
    if isinstance(thing, tuple | list) and len(thing) == 2 and _dimension(thing[0]) == 2:
        return thing[0], thing[1]
    if _dimension(thing) != 2:
        raise ScanError(f"No surface can be made of {short_repr(thing)}. {TAKEN}")
    return thing, None


def _triangles(thing: Any) -> Any:
    if hasattr(thing, "faces"):
        faces = whole_numbers(_unless_none(thing.faces), "The faces of a mesh", ScanError)
        return _unless_empty(_divided(faces, thing) if faces.ndim == 1 else faces)
    if hasattr(thing, "triangles"):
        return _unless_empty(thing.triangles)
    if hasattr(thing, "cells_dict"):
        return _cells(thing.cells_dict)
    cells = whole_numbers(_unless_none(getattr(thing, "cells", None)), "The cells", ScanError)
    return _unless_empty(np.atleast_1d(cells))


def _divided(flat: IndexArray, thing: Any) -> IndexArray:
    """Triangles of a list 3 a b c 3 d e f ..., as VTK has it; other polygons are divided first."""
    if len(flat) % 4 == 0 and (flat[::4] == 3).all():
        return flat.reshape(-1, 4)[:, 1:]
    if len(flat) and hasattr(thing, "triangulate"):
        divided = thing.triangulate()
        return whole_numbers(divided.faces, "The faces of a mesh", ScanError).reshape(-1, 4)[:, 1:]
    raise ScanError("The faces of this mesh are not triangles. Divide them first.")


def _cells(cells: dict[str, Any]) -> Any:
    """Triangles among the cells of meshio, of which lines and single points are left out."""
    others = sorted(set(cells) - {"triangle", "line", "vertex"})
    if others:
        raise ScanError(f"This mesh has cells that are not triangles: {', '.join(others)}.")
    return cells.get("triangle")


def _dimension(thing: Any) -> int | None:
    try:
        return np.ndim(thing)
    except Exception:  # a ragged list, or an array of another library
        return None


def _unless_none(faces: Any) -> Any:
    return np.zeros((0, 3), dtype=np.int64) if faces is None else faces


def _unless_empty(faces: Any) -> Any:
    return faces if len(faces) else None
