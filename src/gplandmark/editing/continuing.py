# SPDX-License-Identifier: MIT
"""The algorithm goes on from landmarks that are there, whoever placed them."""

import numpy as np

from gplandmark.editing.ground import Ground
from gplandmark.editing.state import State, unpacked
from gplandmark.errors import SettingsError
from gplandmark.selection import Progress, select

__all__ = ["continued"]


def continued(
    ground: Ground, state: State, count: int, progress: Progress | None = None
) -> list[int]:
    """Vertices of the next landmarks, where the variance given all others is largest.

    They are those of `gplandmark.place` with the nearest vertices of the landmarks as `start`
    and the painted ones as `exclude`. Missing landmarks do not count.

    Raises
    ------
    SettingsError
        The count is below 1, or above the number of vertices that are left.
    """
    surface, vertices = ground.surface, state.vertices()
    start = list(dict.fromkeys(vertices[vertices >= 0].tolist()))
    allowed = surface.covered() & ~unpacked(state.painted, surface.vertex_count)
    free = allowed.copy()
    free[start] = False
    left = int(np.count_nonzero(free))
    if not 1 <= count <= left:
        raise SettingsError(
            f"Ask for 1 to {left:,} more landmarks, the number of vertices that are neither "
            f"painted nor landmarks; got {count}."
        )
    found = select(
        ground.kernel, len(start) + count, start=start, candidates=allowed, progress=progress
    )
    known = len(start) - len(found.skipped)
    new: list[int] = found.indices[known:][:count].tolist()
    return new
