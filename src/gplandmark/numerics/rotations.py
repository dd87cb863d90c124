# SPDX-License-Identifier: MIT
"""Rotations: the best fit of points to others (ordinary Procrustes analysis), principal axes."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

FLAT = 1e-12  # last singular value over the first: a reflection then fits no better


def best_rotations(shapes: FloatArray, onto: FloatArray, *, reflect: bool) -> FloatArray:
    """Rotations R (..., d, d) that minimise |X R - Y|^2 for centred X, Y (..., k, d).

    With `reflect` they may be reflections, if these fit better.
    """
    moments = np.swapaxes(shapes, -1, -2) @ onto
    return kabsch_rotations(moments, None if reflect else np.float64(1.0))


def kabsch_rotations(
    moments: FloatArray, determinant: FloatArray | np.float64 | None
) -> FloatArray:
    """Orthogonal R (..., d, d) that maximise tr(R^T M) for moments M = X^T Y (..., d, d).

    With M = U S V^T it is R = U D V^T, where D = diag(1, ..., 1, e det(U V^T)) and e is
    the determinant of R, 1 or -1. Without one it is that of the best fit; where M is flat, 1.
    """
    left, spread, right = np.linalg.svd(moments)
    sign = np.where(np.linalg.det(left @ right) < 0, -1.0, 1.0)
    if determinant is None:
        determinant = np.where(spread[..., -1] > FLAT * spread[..., 0], sign, 1.0)
    left[..., -1] *= (sign * determinant)[..., None]
    return np.asarray(left @ right)


def perpendicular_vectors(directions: FloatArray) -> FloatArray:
    """Two unit vectors (..., 2, 3) at right angles to directions (..., 3) and to each other."""
    return np.asarray(np.linalg.svd(directions[..., None, :])[2][..., 1:, :])


def apply_similarity(
    points: FloatArray, sources: FloatArray, targets: FloatArray, *, reflect: bool
) -> FloatArray:
    """Points (n, 3) under the similarity that best maps sources (k, 3) to targets (k, 3).

    It minimises |b X R + t - Y|^2: R as in `best_rotations`, b = tr(X R Y^T) / |X|^2.
    """
    middle, goal, rotation, scale = _best_similarity(sources, targets, reflect)
    return np.asarray(scale * (points - middle) @ rotation + goal)


def similarity_onto(
    sources: FloatArray, targets: FloatArray, *, reflect: bool
) -> tuple[float, FloatArray, FloatArray]:
    """Scale b, rotation R (3, 3) and shift t (3,) of the same similarity, X -> b X R + t."""
    middle, goal, rotation, scale = _best_similarity(sources, targets, reflect)
    return scale, rotation, np.asarray(goal - scale * middle @ rotation)


def _best_similarity(
    sources: FloatArray, targets: FloatArray, reflect: bool
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Centroids of sources and targets, rotation about them, and scale."""
    middle, goal = sources.mean(axis=0), targets.mean(axis=0)
    centred, aims = sources - middle, targets - goal
    rotation = best_rotations(centred, aims, reflect=reflect)
    return middle, goal, rotation, np.sum((centred @ rotation) * aims) / np.sum(centred**2)


def principal_orientation(points: FloatArray) -> FloatArray:
    """Rotation (3, 3) that turns the principal axes of centred points to x, y and z.

    The longest comes first. The first two point to their longer tails, by skewness; the third
    makes it a rotation, not a reflection.
    """
    axes = np.linalg.eigh(points.T @ points)[1][:, ::-1].copy()
    for number in (0, 1):
        axes[:, number] *= np.copysign(1.0, np.sum((points @ axes[:, number]) ** 3))
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes


def rotation_matrices(turns: FloatArray) -> FloatArray:
    """Rotation matrices (m, 3, 3) for rotation vectors (m, 3), axes times angles a.

    Rodrigues' formula: I + sin a K + (1 - cos a) K^2, with K the cross product with the unit axis.
    """
    angles = np.linalg.norm(turns, axis=1)
    x, y, z = (turns / np.maximum(angles, np.finfo(float).tiny)[:, None]).T
    zero = np.zeros(len(turns))
    rows = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    cross = np.moveaxis(rows, 2, 0)
    sine, rest = np.sin(angles)[:, None, None], (1 - np.cos(angles))[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + rest * (cross @ cross))
