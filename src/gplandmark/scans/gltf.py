# SPDX-License-Identifier: MIT
"""GLB and GLTF, through trimesh: all meshes of the scene, in the order of its nodes."""

import json
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gplandmark.scans.content import Content, DamagedError, check_room

__all__ = ["read_gltf"]

NUMBERING = (
    "vertices of all meshes of the scene, one after the other as its nodes name them, from 0"
)
LARGEST = 2**31  # bytes of other files that a GLTF file may name


def read_gltf(content: bytes, path: Path) -> Content:
    """Points and triangles in the coordinates of the scene; other files must lie beside it."""
    import trimesh  # slow to import, and only this reader needs it

    is_binary = content.startswith(b"glTF")
    tree = _tree(
        content[20 : 20 + int.from_bytes(content[12:16], "little")] if is_binary else content
    )
    room = len(content) + _named_bytes(tree, path.parent)
    for each in tree.get("accessors", ()):
        check_room(int(each["count"]), 1, room, "numbers")
    scene = trimesh.load_scene(
        BytesIO(content),
        file_type="glb" if is_binary else "gltf",
        resolver=trimesh.resolvers.FilePathResolver(str(path)),
        process=False,
        skip_materials=True,
    )
    mesh = scene.to_mesh()
    points, triangles = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    if points.shape[1:] != (3,) or triangles.shape[1:] != (3,):
        raise DamagedError("its positions are not points in space, or its faces no triangles")
    return Content(points.astype(np.float64), triangles.astype(np.int64), numbering=NUMBERING)


def _tree(text: bytes) -> dict[str, Any]:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("it does not begin with the description of a scene") from None
    if not isinstance(tree, dict):
        raise DamagedError("it does not begin with the description of a scene")
    return tree


def _named_bytes(tree: dict[str, Any], folder: Path) -> int:
    """Sizes of the files that the scene names; only plain files beside it are read."""
    total = 0
    for each in (*tree.get("buffers", ()), *tree.get("images", ())):
        name = each.get("uri", "data:")
        if name.startswith("data:"):
            continue
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or ":" in name:
            raise DamagedError(f"it names the file '{name[:40]}', which does not lie beside it")
        total += _size(folder / name)
    check_room(total, 1, LARGEST, "bytes in other files")
    return total


def _size(path: Path) -> int:
    if not path.is_file():
        raise DamagedError(f"the file {path.name} that it names is not beside it")
    return path.stat().st_size
