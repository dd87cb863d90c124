# SPDX-License-Identifier: MIT
"""How far a surface is from its landmarks, through space and along the surface."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gamma, pi

import numpy as np
import scipy

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.mesh import geodesic_distances
from gplandmark.mesh.neighbours import pick_farthest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


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
    chosen = np.unique(checked_landmarks(landmarks, surface.vertex_count, least=1))
    covered = surface.covered()
    if geodesic:
        return float(geodesic_distances(surface)(chosen)[covered].max())
    return float(
        scipy.spatial.cKDTree(surface.points[chosen]).query(surface.points[covered])[0].max()
    )


@dataclass(frozen=True, eq=False)
class FarthestPoints:
    """Points each farthest from those before, and what they say about h_n, n = 1, ..., m.

    The fill distance of the first n of them is an upper bound for h_n, the least of any n points.
    These n and the next are at least that far apart, and two of them lie in the ball around one
    of any n centres: half of it is a lower bound.

    """

    indices: IndexArray  # (m,) the points
    upper: FloatArray  # (m,) fill distance of the first n, at least h_n

    @property
    def lower(self) -> FloatArray:
        """Half of it, at most h_n, shape (m,)."""
        return self.upper / 2


def farthest_points(points: FloatArray, count: int, first: int = 0) -> FarthestPoints:
    """Farthest-point sampling of points (n, d) through space, from a first one."""
    if not 1 <= count <= len(points) or not 0 <= first < len(points):
        raise SettingsError(
            f"Count and first point must lie within the {len(points):,} points, "
            f"got {count} and {first}."
        )

    def distances(index: int) -> FloatArray:
        return np.asarray(np.linalg.norm(points - points[index], axis=1))

    return FarthestPoints(*pick_farthest(distances, first, count))


def packing_bound(volume: float, count: int | IndexArray, dimension: int = 2) -> FloatArray:
    """Bound h_n from above, lemma (fill-to-packing), for n large enough.

        h_n <= (2^(d+1) d Vol(M) / omega_{d-1})^(1/d) n^(-1/d)

    with omega_{d-1} = 2 pi^(d/2) / Gamma(d/2) the measure of the unit sphere. On a surface this is
    sqrt(8 area / (pi n)).
    """
    counts = np.asarray(count, dtype=np.float64)
    if dimension < 1 or not volume > 0 or not (counts >= 1).all():
        raise SettingsError("Volume, number of points and dimension must be positive.")
    sphere = 2 * pi ** (dimension / 2) / gamma(dimension / 2)
    base = 2 ** (dimension + 1) * dimension * volume / sphere
    return np.asarray((base / counts) ** (1 / dimension))
