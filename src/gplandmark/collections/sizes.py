# SPDX-License-Identifier: MIT
"""How much memory a specimen may take, guessed from its file before anything is read."""

from pathlib import Path

from gplandmark.collections.request import Request
from gplandmark.landmarks import Settings

__all__ = ["memory_for"]

PROCESS = 150_000_000  # bytes of a process with all libraries and nothing else
FILE_BYTES = 30  # per vertex with its two triangles in the tightest format, binary PLY
VERTEX_BYTES = 1_500  # the mesh, its copies while it is cleaned, curvature, the field
PACKED = 8  # times that text shrinks when it is packed
DENSE = 16_000  # bytes per vertex of 1000 eigenpairs, or of edges to 500 neighbours
UNKNOWN_COUNT = 300  # landmarks that a target may take


def memory_for(path: Path, request: Request) -> int:
    """Return the bytes that placing landmarks on a scan may take.

    The vertices are guessed from above, and each has its share of the Cholesky factor, 8 bytes for
    every landmark.
    """
    try:
        size = path.stat().st_size
    except OSError:
        return PROCESS  # it will fail, and soon
    if path.suffix.lower() == ".gz":
        size *= PACKED
    each = VERTEX_BYTES + 8 * (request.count or UNKNOWN_COUNT)
    settings = request.settings
    if not isinstance(settings, Settings) or settings.kernel not in _LIGHT:
        each += DENSE
    return PROCESS + size // FILE_BYTES * each


_LIGHT = ("reweighted", "squared-exponential", "matern")
