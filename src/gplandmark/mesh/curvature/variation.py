# SPDX-License-Identifier: MIT
"""Surface variation: how far a point's neighbours spread along their normal."""

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.areas import surface_area
from gplandmark.mesh.curvature.estimate import Curvature
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["surface_variation", "variation"]

NEIGHBOURS = 10
FEWEST_NEIGHBOURS = 3
CHUNK = 2048  # points at a time, which bounds the memory in many dimensions


def surface_variation(
    points: FloatArray, neighbours: int = NEIGHBOURS, leading: int | None = None
) -> FloatArray:
    """Share of the smallest principal components among the neighbours of each point, shape (n,).

        sigma(x) = (l_{m+1} + ... + l_d) / (l_1 + ... + l_d),    l_1 >= ... >= l_d the eigenvalues
        of the sum over the k nearest neighbours y of x, x left out, of (y - x) (y - x)^T

    with m = `leading`, by default d - 1. Deviations are taken from x itself and not from the
    neighbours' mean. Between 0 where the neighbours lie in a flat of m dimensions through x
    and 1 - m/d where no direction is preferred. Needs no triangles, in any dimension d.

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
    leading = points.shape[1] - 1 if leading is None else leading
    _, found = nearest(points, neighbours + 1)
    parts = [slice(start, start + CHUNK) for start in range(0, len(points), CHUNK)]
    return np.concatenate([_shares(points, found[part], leading) for part in parts])


def _shares(points: FloatArray, found: IndexArray, leading: int) -> FloatArray:
    deviations = points[found[:, 1:]] - points[found[:, :1]]
    if deviations.shape[1] < deviations.shape[2]:
        deviations = np.swapaxes(deviations, 1, 2)  # the smaller scatter has the same values
    values = np.linalg.eigvalsh(np.einsum("nki,nkj->nij", deviations, deviations))
    total = values.sum(axis=1)
    outside = values[:, : max(0, values.shape[1] - leading)].sum(axis=1)
    share = np.divide(outside, total, out=np.zeros(len(total)), where=total > 0)
    return np.asarray(np.maximum(share, 0.0))


def variation(surface: Surface, neighbours: int | None = None) -> Curvature:
    """Surface variation in place of curvature, for weights without triangles.

        kappa = sigma n / (k A),    eta = sqrt(kappa)

    It grows with the square of the curvature and of the size of a neighbourhood, on average
    k A / n of the area A, and has no sign. k neighbours, by default 10, cover less of the specimen
    on a finer mesh: prefer another estimator where there is one. Beyond three dimensions it is
    the spread outside the two widest directions, as of a surface.
    """
    count = min(NEIGHBOURS, surface.vertex_count - 1) if neighbours is None else neighbours
    leading = min(2, surface.points.shape[1] - 1)
    score = surface_variation(surface.points, count, leading)
    kappa = score * (surface.vertex_count / (count * surface_area(surface)))
    return Curvature(kappa, np.sqrt(kappa))
