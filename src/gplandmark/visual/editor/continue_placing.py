# SPDX-License-Identifier: MIT
"""The algorithm goes on from landmarks that are there, whoever placed them."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.selection import Progress, select
from gplandmark.landmarks import MethodSettings
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor.state import State, unpacked

__all__ = ["Ground", "continued"]


@dataclass(frozen=True, eq=False)
class Ground:
    """A surface and the covariance of the process on it.

    Attributes
    ----------
    surface : with n vertices
    settings : how the covariance is made
    weight : (n,) in place of that of the settings, or None
    kernel : the covariance
    """

    surface: Surface
    settings: MethodSettings
    weight: FloatArray | None
    kernel: Kernel


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
