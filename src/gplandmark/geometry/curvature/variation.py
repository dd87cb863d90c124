# SPDX-License-Identifier: MIT
"""Surface variation: how far a point's neighbours spread along their normal."""

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import FloatArray
from gplandmark.errors import SettingsError
from gplandmark.geometry.curvature.pair import Curvature
from gplandmark.surface import Surface

__all__ = ["surface_variation", "variation"]

FEWEST_NEIGHBOURS = 3


def surface_variation(points: FloatArray, neighbours: int = 10) -> FloatArray:
    """Share of the smallest principal component among the neighbours of each point, shape (n,).

        sigma(x) = l_1 / (l_1 + ... + l_d),    l_1 <= ... <= l_d the eigenvalues of
        sum over the k nearest neighbours y of x, x left out, of (y - x) (y - x)^T

    Deviations are taken from x itself and not from the neighbours' mean. Between 0 on a
    plane and 1/d where no direction is preferred. Needs no triangles, in any dimension d.

    Raises
    ------
    SettingsError
        Fewer than 3 neighbours, or not fewer than there are points.
    """
    if not FEWEST_NEIGHBOURS <= neighbours < len(points):
        raise SettingsError(
            f"Surface variation needs {FEWEST_NEIGHBOURS} to {len(points) - 1} neighbours on "
            f"{len(points)} points, got {neighbours}."
        )
    _, nearest = cKDTree(points).query(points, neighbours + 1)
    deviations = points[nearest[:, 1:]] - points[:, None]
    scatter = np.einsum("nki,nkj->nij", deviations, deviations)
    values = np.linalg.eigvalsh(scatter)
    total = values.sum(axis=1)
    share = np.divide(values[:, 0], total, out=np.zeros(len(points)), where=total > 0)
    return np.asarray(np.maximum(share, 0.0))


def variation(surface: Surface, neighbours: int = 10) -> Curvature:
    """Surface variation in place of curvature, for weights without triangles.

    It grows with the square of the curvature, so that sigma stands for kappa and
    sqrt(sigma) for eta, in units of the neighbourhood's size and without a sign. k neighbours
    cover less of the specimen on a finer mesh, so that it follows the resolution: prefer
    another estimator where there are triangles.
    """
    score = surface_variation(surface.points, neighbours)
    return Curvature(score, np.sqrt(score))
