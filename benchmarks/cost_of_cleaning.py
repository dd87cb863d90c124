"""What reading and cleaning a large binary PLY cost beside the bare read of a library.

Every scan is read whole, its fingerprint taken, and searched for all defects; trimesh with
``process=False`` and libigl only read. They are timed in turn on the same file, and the best of
each counts: once in a new process for each read, as people read, and once over and over in one
process, where memory is at hand already. The aim is a ratio of three to trimesh.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import igl
import numpy as np
import trimesh
from specimens import specimens, subdivided

from gplandmark import Surface, read

ROUNDS = 15
READERS: dict[str, Callable[[Path], object]] = {
    "trimesh": lambda path: trimesh.load(path, process=False),
    "libigl": lambda path: igl.read_triangle_mesh(str(path)),
    "ours": read,
}


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


def seconds(name: str, path: Path) -> float:
    """Time one read in this process."""
    began = time.perf_counter()
    READERS[name](path)
    return time.perf_counter() - began


def seconds_in_new_process(name: str, path: Path) -> float:
    """Time the first read of a new process, imports apart."""
    command = [sys.executable, __file__, name, str(path)]
    return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def print_row(kind: str, how: str, path: Path, timed: Callable[[str, Path], float]) -> None:
    best = {name: float("inf") for name in READERS}
    for _ in range(ROUNDS):
        for name in READERS:
            best[name] = min(best[name], timed(name, path))
    ratio = best["ours"] / best["trimesh"]
    print(f"{kind:<11}  {how:<11}" + "".join(f"{best[name]:7.3f} s" for name in READERS), end="")
    print(f"  {ratio:5.1f}  {best['ours'] / best['libigl']:6.2f}")


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    surface = subdivided(specimens(1)[0].surface, times)
    print(f"{surface.name}: {surface.vertex_count:,} vertices, {len(surface.faces()):,} faces")
    print("coordinates  process      trimesh   libigl     ours   ours over trimesh, libigl")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("f4", "f8"):
            path = written(surface, kind, Path(folder) / f"{kind}.ply")
            print_row(kind, "new", path, seconds_in_new_process)
            print_row(kind, "the same", path, seconds)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(seconds(sys.argv[1], Path(sys.argv[2])))
    else:
        main()
