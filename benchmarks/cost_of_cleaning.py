"""What reading and cleaning a large binary PLY cost beside the bare read of a library.

Every scan is read whole, its fingerprint taken, and searched for all defects; trimesh with
``process=False`` only reads. Both are timed in turn on the same file, and the best of each counts.
The aim is a ratio of three.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import trimesh
from specimens import specimens, subdivided

from gplandmark import Surface, read

ROUNDS = 5


def written(surface: Surface, kind: str, path: Path) -> Path:
    """Write a little-endian PLY with coordinates of one kind."""
    name = {"f4": "float", "f8": "double"}[kind]
    axes = "".join(f"property {name} {axis}\n" for axis in "xyz")
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {surface.vertex_count}\n{axes}"
        f"element face {len(surface.faces())}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.zeros(len(surface.faces()), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, surface.faces()
    body = surface.points.astype(f"<{kind}").tobytes() + faces.tobytes()
    path.write_bytes(header.encode() + body)
    return path


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    surface = subdivided(specimens(1)[0].surface, times)
    print(f"{surface.name}: {surface.vertex_count:,} vertices, {len(surface.faces()):,} faces")
    print("coordinates  trimesh     ours  ratio")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("f4", "f8"):
            path = written(surface, kind, Path(folder) / f"{kind}.ply")
            bare, ours = [], []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                trimesh.load(path, process=False)
                bare.append(time.perf_counter() - began)
                began = time.perf_counter()
                read(path)
                ours.append(time.perf_counter() - began)
            ratio = min(ours) / min(bare)
            print(f"{kind:<11}  {min(bare):5.3f} s  {min(ours):5.3f} s  {ratio:5.1f}")


if __name__ == "__main__":
    main()
