# SPDX-License-Identifier: MIT
"""GLB and GLTF, through trimesh: all meshes of the scene, in the order of its nodes."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from gplandmark.io.scans.content import Content, DamagedError, check_fits
from gplandmark.io.scans.file_bytes import file_bytes

NUMBERING = (
    "vertices of all meshes of the scene, one after the other as its nodes name them, from 0"
)
DEEPEST = 1000  # nodes inside each other; the time to read them grows with the square
LARGEST = 2**31  # bytes of other files that a GLTF file may name


def read_gltf(content: bytes, path: Path) -> Content:
    """Points and triangles in the coordinates of the scene; other files must lie beside it."""
    import trimesh  # slow to import, and only this reader needs it

    is_binary = content.startswith(b"glTF")
    tree = _tree(
        content[20 : 20 + int.from_bytes(content[12:16], "little")] if is_binary else content
    )
    _check_depth([each.get("children", ()) for each in tree.get("nodes", ())])
    files = _files_beside(tree, path.parent)
    size = len(content) + sum(map(len, files.values()))
    for each in tree.get("accessors", ()):
        check_fits(int(each["count"]), 1, size, "numbers")
    scene = trimesh.load_scene(
        BytesIO(content),
        file_type="glb" if is_binary else "gltf",
        resolver=files,
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


def _check_depth(children: list[list[int]]) -> None:
    """Refuse scenes whose nodes lie far too deep inside each other."""
    inside = {child for each in children for child in each}
    level = [node for node in range(len(children)) if node not in inside]
    seen = set(level)
    for _ in range(DEEPEST):
        found = {child for node in level for child in children[node]} - seen
        seen |= found
        level = list(found)
        if not level:
            return
    raise DamagedError(f"its nodes lie more than {DEEPEST:,} deep inside each other")


def _files_beside(tree: dict[str, Any], folder: Path) -> dict[str, bytes]:
    """Contents of the buffers that the scene names; only plain files beside it are read."""
    buffers = _named(tree, "buffers", folder)
    named = {**buffers, **_named(tree, "images", folder)}
    total = sum(path.stat().st_size for path in named.values())
    check_fits(total, 1, LARGEST, "bytes in other files")
    return {name: file_bytes(path) for name, path in buffers.items()}


def _named(tree: dict[str, Any], kind: str, folder: Path) -> dict[str, Path]:
    names = [each.get("uri", "data:") for each in tree.get(kind, ())]
    return {name: _beside(name, folder) for name in names if not name.startswith("data:")}


def _beside(name: str, folder: Path) -> Path:
    """The file of a name in which signs may be escaped; some programs write them as they are."""
    for each in (unquote(name), name):
        parts = re.split(r"[/\\]", each)
        if parts[0] == "" or ".." in parts or ":" in each or "\0" in each:
            raise DamagedError(f"it names the file '{name[:40]}', which does not lie beside it")
        if (folder / each).is_file():
            return folder / each
    raise DamagedError(f"the file {unquote(name)[:40]} that it names is not beside it")
