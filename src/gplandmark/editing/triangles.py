# SPDX-License-Identifier: MIT
"""Points and rays against many triangles at once."""

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray

__all__ = ["closest_shares", "ray_shares"]

EDGE = 1e-9  # of a triangle: a ray this close beside a shared edge meets it all the same


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
    shares[~_inside(shares, 0.0)] = np.nan
    return shares


def ray_shares(
    origin: FloatArray, direction: FloatArray, corners: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares (k, 3) where a ray meets each triangle (k, 3, 3), and how far along it (k,).

    Distances are in lengths of the direction, infinite where a triangle is not met.
    """
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(direction, two)
    volume = np.einsum("ij,ij->i", one, across)
    offset = origin - corners[:, 0]
    turned = np.cross(offset, one)
    with np.errstate(divide="ignore", invalid="ignore"):
        second = np.einsum("ij,ij->i", offset, across) / volume
        third = turned @ direction / volume
        along = np.einsum("ij,ij->i", two, turned) / volume
    shares = np.stack([1.0 - second - third, second, third], axis=1)
    met = _inside(shares, EDGE) & (along >= 0) & np.isfinite(along)
    shares = np.clip(np.where(met[:, None], shares, 0.0), 0.0, 1.0)
    return shares, np.where(met, along, np.inf)


def _inside(shares: FloatArray, margin: float) -> BoolArray:
    return np.asarray((shares >= -margin).all(axis=1))
