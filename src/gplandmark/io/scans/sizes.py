# SPDX-License-Identifier: MIT
"""How large scans are before they are read, by the sizes of their files."""

from pathlib import Path

from gplandmark.io.scans.names import is_compressed
from gplandmark.io.volumes.volume_files import is_volume, scan_files

VERTEX = 30  # bytes of a vertex with its two triangles in the tightest format, binary PLY
COMPRESSION = 8  # times that text shrinks by compression
VOXEL_SURFACE = 6  # vertices for each voxel on a side of a volume
PROCESS = 150_000_000  # bytes of a process with all libraries and nothing else


def memory_of_job(path: Path, per_vertex: int) -> int:
    """Return the bytes of a process that reads a scan and needs so many for each vertex."""
    return PROCESS + voxel_bytes(path) + per_vertex * most_vertices(path)


def most_vertices(path: Path) -> int:
    """Return about how many vertices a scan has at most; 0 if it cannot be asked."""
    try:
        size = sum(each.stat().st_size for each in scan_files(path))
    except OSError:
        return 0  # reading it will fail, and soon
    if is_volume(path):
        return int(VOXEL_SURFACE * size ** (2 / 3))
    return size * (COMPRESSION if is_compressed(path) else 1) // VERTEX


def voxel_bytes(path: Path) -> int:
    """Return about how many bytes the voxels of a scan take while it is read; 0 of a mesh."""
    if not is_volume(path):
        return 0
    size = sum(each.stat().st_size for each in scan_files(path) if each.exists())
    return 3 * size * (COMPRESSION if is_compressed(path) else 1)
