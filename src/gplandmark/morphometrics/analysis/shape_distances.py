# SPDX-License-Identifier: MIT
"""How far apart shapes are."""

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.analysis.procrustes import Aligned
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import best_rotations

__all__ = ["continuous_distance", "procrustes_distances"]


def procrustes_distances(aligned: Aligned) -> FloatArray:
    """Procrustes distance between every two specimens, (s, s).

    d_ij = min over rotations R of |X_i - X_j R|, each pair laid upon each other for itself, at
    centroid size 1: the partial Procrustes distance, from 0 to sqrt(2). Mirror images count as
    equal where the superimposition allowed them; where sizes were kept, d_ij is in file units.
    """
    shapes = aligned.shapes
    distances = np.zeros((len(shapes), len(shapes)))
    for number in range(len(shapes) - 1):
        others = shapes[number + 1 :]
        turned = others @ best_rotations(others, shapes[number], reflect=aligned.reflect)
        row = np.linalg.norm(turned - shapes[number], axis=(1, 2))
        distances[number, number + 1 :] = distances[number + 1 :, number] = row
    return distances


def continuous_distance(
    points: FloatArray, images: FloatArray, areas: FloatArray, *, reflect: bool = False
) -> float:
    """Continuous Procrustes distance of two surfaces, given a map between them.

    d^2 = min over rigid motions g of sum_x nu(x) |g(x) - f(x)|^2 / sum_x nu(x): the distance of
    corresponding points in the mean over the area (Al-Aifari, Daubechies, Lipman 2013).

    Parameters
    ----------
    points : (n, 3) of one surface, at the scale at which surfaces are compared
    images : (n, 3) where the map f takes them on the other surface
    areas : (n,) of the points, nu
    reflect : let g be a mirror image too
    """
    if points.shape != images.shape or areas.shape != points.shape[:1]:
        raise AnalysisError(
            f"A map has one image and one area for each point, got {points.shape[0]} points, "
            f"{images.shape[0]} images and {areas.shape[0]} areas."
        )
    shares = areas / areas.sum()
    root = np.sqrt(shares)[:, None]
    first, second = root * (points - shares @ points), root * (images - shares @ images)
    return float(np.linalg.norm(first @ best_rotations(first, second, reflect=reflect) - second))
