# SPDX-License-Identifier: MIT
"""Distances between shapes: Procrustes, by landmarks; continuous Procrustes, by surfaces."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.analysis.procrustes import Aligned
from gplandmark.morphometrics.analysis.specimen_groups import Classification, Mrpp
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import best_rotations


def procrustes_distances(aligned: Aligned) -> FloatArray:
    """Partial Procrustes distance between every two specimens, (s, s).

    d_ij = min over rotations R of |X_i - X_j R| at centroid size 1, from 0 to sqrt(2). Each pair
    is superimposed independently. Mirror images have distance 0 if the superimposition allowed
    reflections. If sizes were kept, d_ij is in file units.
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
    """Continuous Procrustes distance between two surfaces, given a map f from one to the other.

    d^2 = min over rigid motions g of sum_x nu(x) |g(x) - f(x)|^2 / sum_x nu(x): the root mean
    square distance of corresponding points over the area (Al-Aifari, Daubechies, Lipman 2013).

    Parameters
    ----------
    points : (n, 3) x of one surface, at the scale at which surfaces are compared
    images : (n, 3) f(x) on the other surface
    areas : (n,) nu(x) of the points
    reflect : allow g to reflect
    """
    if points.shape != images.shape or areas.shape != points.shape[:1]:
        raise AnalysisError(
            f"Every point needs one image and one area, got {points.shape[0]} points, "
            f"{images.shape[0]} images and {areas.shape[0]} areas."
        )
    weights = areas / areas.sum()
    root = np.sqrt(weights)[:, None]
    first, second = root * (points - weights @ points), root * (images - weights @ images)
    return float(np.linalg.norm(first @ best_rotations(first, second, reflect=reflect) - second))


@dataclass(frozen=True, eq=False)
class ContinuousAnalysis:
    """Continuous Procrustes distances of a sample, and group statistics based on them.

    Attributes
    ----------
    names : of those specimens of the analysis that have corresponding surface points
    distances : (s, s) continuous Procrustes distances
    groups : of each specimen, None where unknown; empty where no groups were given
    classification : by nearest neighbours; None without a group of two
    test : multi-response permutation procedure; None without two groups of two
    """

    names: tuple[str, ...]
    distances: FloatArray
    groups: tuple[str | None, ...]
    classification: Classification | None
    test: Mrpp | None


def continuous_distances(points: Correspondence, *, reflect: bool = False) -> FloatArray:
    """Continuous Procrustes distance between every two specimens, (s, s).

    d_ij^2 = min over rigid motions g of sum_x nu_ij(x) |g(x_i) - x_j|^2. Here x_i is the position
    of the corresponding point x on specimen i, at unit area, and nu_ij = (nu_i + nu_j) / 2 the mean
    of its fractions of both areas (Al-Aifari, Daubechies, Lipman 2013). With means m, variances
    E_i = sum nu_ij |x_i - m_i|^2 and the cross-covariance C = sum nu_ij (x_i - m_i)(x_j - m_j)^T,
    of singular values s,

        d_ij^2 = E_i + E_j - 2 (s_1 + s_2 + sign(det C) s_3),

    without the sign if g may reflect. A sum over nu_ij is the mean of one over nu_i and one over
    nu_j, so that a row of the matrix takes two matrix products. Two copies of one shape have the
    distance 1e-8, the root of the rounding error, not 0.
    """
    count, nu = len(points.names), points.weights
    shapes = points.points - points.points.mean(axis=1, keepdims=True)  # keeps digits far away
    shapes = shapes / points.sizes[:, None, None]
    shapes = shapes - np.einsum("sm,smc->sc", nu, shapes)[:, None]
    squares = np.sum(shapes**2, axis=2)
    variances = np.einsum("sm,sm->s", nu, squares)
    # All specimens side by side, (m, 3 s), for products of one with all others.
    beside, weighted = _beside(shapes), _beside(nu[..., None] * shapes)
    distances = np.zeros((count, count))
    for i in range(count - 1):
        others, columns = slice(i + 1, count), slice(3 * i + 3, 3 * count)
        own_nu, shape = nu[i], shapes[i]
        # Each shape is centred by its own nu, so that only the other's nu gives it a mean.
        mean = nu[others] @ shape / 2
        means = (own_nu @ beside[:, columns] / 2).reshape(-1, 3)
        crossed = (own_nu[:, None] * shape).T @ beside[:, columns] + shape.T @ weighted[:, columns]
        covariance = (
            crossed.reshape(3, -1, 3).swapaxes(0, 1) / 2 - mean[:, :, None] * means[:, None]
        )
        own = (variances[i] + nu[others] @ squares[i]) / 2 - np.sum(mean**2, axis=1)
        theirs = (variances[others] + squares[others] @ own_nu) / 2 - np.sum(means**2, axis=1)
        values = np.linalg.svd(covariance, compute_uv=False)
        if not reflect:
            values[:, 2] *= np.sign(np.linalg.det(covariance))
        row = own + theirs - 2 * values.sum(axis=1)
        distances[i, others] = distances[others, i] = np.sqrt(np.maximum(row, 0))
    return distances


def _beside(shapes: FloatArray) -> FloatArray:
    """Shapes (s, m, 3) as columns of one matrix (m, 3 s)."""
    return shapes.swapaxes(0, 1).reshape(shapes.shape[1], -1)
