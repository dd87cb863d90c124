# SPDX-License-Identifier: MIT
"""Continuous Procrustes distances between all specimens of a matched sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplandmark.morphometrics.analysis.groups import Classification
from gplandmark.morphometrics.analysis.permutation import Mrpp
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Continuous", "chosen", "continuous_distances"]


@dataclass(frozen=True, eq=False)
class Continuous:
    """What whole surfaces say of a sample, beside its landmarks.

    Attributes
    ----------
    names : of those specimens of the analysis that have corresponding points
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


def chosen(points: Correspondence, names: Sequence[str]) -> Correspondence:
    """The corresponding points of some specimens, as far as they have any, in their order."""
    where = {name: number for number, name in enumerate(points.names)}
    kept = [where[name] for name in names if name in where]
    return replace(
        points,
        names=tuple(points.names[number] for number in kept),
        points=points.points[kept],
        weights=points.weights[kept],
        sizes=points.sizes[kept],
    )


def continuous_distances(points: Correspondence, *, reflect: bool = False) -> FloatArray:
    """Continuous Procrustes distance between every two specimens, (s, s).

    d_ij^2 = min over rigid motions g of sum_x nu_ij(x) |g(x_i) - x_j|^2, with x_i where the common
    point x lies on specimen i, both of unit area, and nu_ij = (nu_i + nu_j) / 2 the mean of the
    shares of area that x has on either (Al-Aifari, Daubechies, Lipman 2013). With means m, spreads
    E and the cross-covariance C = sum nu_ij (x_i - m_i)(x_j - m_j)^T, of singular values s,

        d_ij^2 = E_i + E_j - 2 (s_1 + s_2 + sign(det C) s_3),

    without the sign if g may be a mirror image. All sums over nu_ij are means of one with nu_i and
    one with nu_j, so that a row of the table is two matrix products. Two copies of one shape get
    about 1e-8, the root of the rounding, and not 0.

    Parameters
    ----------
    points : on all specimens
    reflect : let g be a mirror image too
    """
    count, shares = len(points.names), points.weights
    shapes = points.points - points.points.mean(axis=1, keepdims=True)  # keeps digits far away
    shapes = shapes / points.sizes[:, None, None]
    shapes = shapes - np.einsum("sm,smc->sc", shares, shapes)[:, None]
    squares = np.sum(shapes**2, axis=2)
    spreads = np.einsum("sm,sm->s", shares, squares)
    # All specimens side by side, (m, 3 s), for products of one with all others.
    beside, weighted = _beside(shapes), _beside(shares[..., None] * shapes)
    distances = np.zeros((count, count))
    for i in range(count - 1):
        others, columns = slice(i + 1, count), slice(3 * i + 3, 3 * count)
        share, shape = shares[i], shapes[i]
        # Each shape is centred by its own shares, so that only the other's give it a mean.
        here = shares[others] @ shape / 2
        there = (share @ beside[:, columns] / 2).reshape(-1, 3)
        crossed = (share[:, None] * shape).T @ beside[:, columns] + shape.T @ weighted[:, columns]
        covariance = (
            crossed.reshape(3, -1, 3).swapaxes(0, 1) / 2 - here[:, :, None] * there[:, None]
        )
        own = (spreads[i] + shares[others] @ squares[i]) / 2 - np.sum(here**2, axis=1)
        theirs = (spreads[others] + squares[others] @ share) / 2 - np.sum(there**2, axis=1)
        row = own + theirs - 2 * _overlap(covariance, reflect=reflect)
        distances[i, others] = distances[others, i] = np.sqrt(np.maximum(row, 0))
    return distances


def _beside(shapes: FloatArray) -> FloatArray:
    """Shapes (s, m, 3) as columns of one matrix (m, 3 s)."""
    return shapes.swapaxes(0, 1).reshape(shapes.shape[1], -1)


def _overlap(covariance: FloatArray, *, reflect: bool) -> FloatArray:
    """Largest trace (s,) that rotations can give to matrices (s, 3, 3)."""
    values = np.linalg.svd(covariance, compute_uv=False)
    if not reflect:
        values[:, 2] *= np.sign(np.linalg.det(covariance))
    return np.asarray(values.sum(axis=1))
