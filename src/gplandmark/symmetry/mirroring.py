# SPDX-License-Identifier: MIT
"""Fitting a mirror to points and the places where their images shall lie."""

import numpy as np

from gplandmark.arrays import FloatArray

__all__ = ["fit_mirror", "mirrored", "slid_mirror"]


def mirrored(points: FloatArray, point: FloatArray, normal: FloatArray) -> FloatArray:
    """Mirror images of points (m, 3): x - 2 ((x - p) n) n."""
    return np.asarray(points - 2 * ((points - point) @ normal)[:, None] * normal)


def fit_mirror(
    points: FloatArray, images: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Point and normal of the plane that mirrors points (m, 3) best onto their images (m, 3).

    Of sum w |p - 2 ((p - c) n) n - q|^2 the best c lies halfway between the means of p and q, and
    n is the eigenvector of the smallest eigenvalue of

        2 sum w (p' q'^T + q' p'^T) - sum w t t^T,

    with p' and q' about their means and t the difference of the means.
    """
    total = weights.sum()
    mean, other = weights @ points / total, weights @ images / total
    product = (weights[:, None] * (points - mean)).T @ (images - other)
    shift = mean - other
    _, vectors = np.linalg.eigh(2 * (product + product.T) - total * np.outer(shift, shift))
    return (mean + other) / 2, vectors[:, 0]


def slid_mirror(
    points: FloatArray,
    images: FloatArray,
    slopes: FloatArray,
    weights: FloatArray,
    plane: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Point and normal of the plane after one step of least squares on distances across slopes.

    The same sum with |r|^2 replaced by (r s)^2, s the unit normal of the surface at q: images may
    slide along the surface, so that few steps are enough near the end. A plane that turns by a
    along e and b along f, both across n, and moves by d moves the image of p by

        2 d n - 2 sum over (a, e), (b, f) of a ((p - c) e n + (p - c) n e).
    """
    point, normal = plane
    tangents = np.linalg.svd(normal[None])[2][1:]
    arms = points - point
    heights, across = arms @ normal, slopes @ normal
    turns = [-2 * ((arms @ each) * across + heights * (slopes @ each)) for each in tangents]
    moves = np.column_stack([*turns, 2 * across])
    gaps = np.einsum("ij,ij->i", mirrored(points, point, normal) - images, slopes)
    root = np.sqrt(weights)
    step = np.linalg.lstsq(root[:, None] * moves, -root * gaps, rcond=None)[0]
    turned = normal + step[:2] @ tangents
    return point + step[2] * normal, turned / np.linalg.norm(turned)
