# SPDX-License-Identifier: MIT
"""How large a scan is, guessed from its file before anything is read."""

from pathlib import Path

__all__ = ["VERTEX", "most_vertices"]

VERTEX = 30  # bytes of a vertex with its two triangles in the tightest format, binary PLY
PACKED = 8  # times that text shrinks when it is packed


def most_vertices(path: Path) -> int:
    """Return about how many vertices a scan has at most; 0 if it cannot be asked."""
    try:
        size = path.stat().st_size
    except OSError:
        return 0  # reading it will fail, and soon
    return size * (PACKED if path.suffix.lower() == ".gz" else 1) // VERTEX
