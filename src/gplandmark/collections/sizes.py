# SPDX-License-Identifier: MIT
"""How much memory a specimen may take, guessed before anything is read."""

from pathlib import Path

from gplandmark.collections.request import Request
from gplandmark.landmarks import Settings
from gplandmark.scans.sizes import most_vertices

__all__ = ["memory_for"]

PROCESS = 150_000_000  # bytes of a process with all libraries and nothing else
VERTEX = 1_500  # bytes: the mesh, its copies while it is cleaned, curvature, the field
DENSE = 16_000  # bytes of a vertex with 1000 eigenpairs, or with edges to 500 neighbours
LIGHT = ("reweighted", "squared-exponential", "matern")
UNKNOWN_COUNT = 300  # landmarks that a target may take


def memory_for(path: Path, request: Request) -> int:
    """Return the bytes that placing landmarks on a scan may take.

    Every vertex has its share of the Cholesky factor, 8 bytes for each landmark.
    """
    each = VERTEX + 8 * (request.count or UNKNOWN_COUNT)
    settings = request.settings
    if not isinstance(settings, Settings) or settings.kernel not in LIGHT:
        each += DENSE
    return PROCESS + most_vertices(path) * each
