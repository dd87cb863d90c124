# SPDX-License-Identifier: MIT
"""Fold-overs and stretching of a map: what no growth or evolution of a surface does."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["BOUND", "carried_normals", "plausibility", "stretches"]

BOUND = 3.0  # lengths that grow or shrink by more are implausible
FOLDED = -0.5  # cosine; at crests and cusps normals of one place differ by up to a right angle


def stretches(jacobians: FloatArray, normals: FloatArray) -> FloatArray:
    """Largest factor by which a map stretches or shrinks lengths on the surface, (m,), from 1.

    With s_1 >= s_2 the singular values of the differential on the tangent plane it is
    max(s_1, 1 / s_2), the bound of bounded-distortion maps; infinite where the plane collapses.

    Parameters
    ----------
    jacobians : (m, 3, 3) of the map in space
    normals : (m, 3) unit normals of the source
    """
    basis = np.linalg.svd(normals[:, None, :])[2][:, 1:]  # (m, 2, 3): two unit tangents
    values = np.linalg.svd(jacobians @ np.swapaxes(basis, 1, 2), compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(values[:, 0], 1 / values[:, 1]))


def plausibility(
    jacobians: FloatArray, normals: FloatArray, landed: FloatArray, reflects: bool
) -> tuple[FloatArray, FloatArray]:
    """How plausible the distortion is, (m,) from 0 to 1, and the stretch.

    1 up to a stretch of 3, then 3 / stretch; 0 where the carried surface faces against all of the
    surface around the place where it lands, by more than 120 degrees: there the map folds over.

    Parameters
    ----------
    landed : (m, k, 3) unit normals of the target around the places where the points came to lie;
        on a thin bone those of both its sides
    reflects : whether the map as a whole turns left into right
    """
    stretch = stretches(jacobians, normals)
    carried = carried_normals(jacobians, normals) * (-1.0 if reflects else 1.0)
    faces = (np.einsum("ij,ikj->ik", carried, landed) > FOLDED).any(axis=1)
    return np.where(faces, np.minimum(1.0, BOUND / stretch), 0.0), stretch


def carried_normals(jacobians: FloatArray, normals: FloatArray) -> FloatArray:
    """Unit normals (m, 3) after a map: J^-T n, by cofactors, which also serve where J folds.

    Cofactors are J^-T times det J, which a reflection makes negative: it turns the normals around.
    """
    first, second, third = jacobians[:, 0], jacobians[:, 1], jacobians[:, 2]
    rows = [np.cross(second, third), np.cross(third, first), np.cross(first, second)]
    carried = np.einsum("kij,ij->ik", np.array(rows), normals)
    lengths = np.linalg.norm(carried, axis=1, keepdims=True)
    return np.asarray(carried / np.where(lengths > 0, lengths, 1.0))
