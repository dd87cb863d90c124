# SPDX-License-Identifier: MIT
"""How far a surface is from its landmarks, through space and along the surface."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import IndexArray
from gplandmark.errors import SettingsError
from gplandmark.geometry import geodesic_distances
from gplandmark.selection.whitening import checked_landmarks
from gplandmark.surface import Surface

__all__ = ["fill_distance"]


def fill_distance(
    surface: Surface, landmarks: Sequence[int] | IndexArray, *, geodesic: bool = False
) -> float:
    """Distance from the farthest vertex to its nearest landmark, equation (defn-fill-distance).

        h = max over x of min over landmarks x_j of d(x, x_j)

    with d the distance through space, or along the surface (see `geodesic_distances`). Along the
    surface it is infinite where a piece of the surface has no landmark.

    Raises
    ------
    SettingsError
        A landmark does not exist, or there is none.
    """
    chosen = np.unique(checked_landmarks(landmarks, surface.vertex_count))
    if len(chosen) == 0:
        raise SettingsError("There are no landmarks. Give at least one.")
    covered = surface.covered()
    if geodesic:
        return float(geodesic_distances(surface)(chosen)[covered].max())
    return float(cKDTree(surface.points[chosen]).query(surface.points[covered])[0].max())
