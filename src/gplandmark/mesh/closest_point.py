# SPDX-License-Identifier: MIT
"""A point against many triangles at once."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["closest_shares"]


def closest_shares(point: FloatArray, corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares (k, 3) of the point of each triangle (k, 3, 3) that is nearest, and distances (k,).

    The foot of the perpendicular where it lies inside; otherwise the nearest point of the three
    sides, which is also right where a triangle has no area.
    """
    options = [_foot(point, corners)]
    for start, end in ((0, 1), (1, 2), (2, 0)):
        side = corners[:, end] - corners[:, start]
        length = np.maximum(np.einsum("ij,ij->i", side, side), np.finfo(float).tiny)
        along = np.einsum("ij,ij->i", point - corners[:, start], side) / length
        shares = np.zeros((len(corners), 3))
        shares[:, end] = np.clip(along, 0.0, 1.0)
        shares[:, start] = 1.0 - shares[:, end]
        options.append(shares)
    shares = np.array(options)
    distances = np.linalg.norm(np.einsum("okc,kcd->okd", shares, corners) - point, axis=2)
    distances[np.isnan(distances)] = np.inf
    best = distances.argmin(axis=0), np.arange(len(corners))
    return shares[best], distances[best]


def _foot(point: FloatArray, corners: FloatArray) -> FloatArray:
    """Shares (k, 3) of the foot of the perpendicular, NaN where it lies outside."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(one, two)
    square = np.einsum("ij,ij->i", normal, normal)
    offset = point - corners[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        second = np.einsum("ij,ij->i", np.cross(offset, two), normal) / square
        third = np.einsum("ij,ij->i", np.cross(one, offset), normal) / square
    shares = np.stack([1.0 - second - third, second, third], axis=1)
    shares[~(shares >= 0).all(axis=1)] = np.nan
    return shares
