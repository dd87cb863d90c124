# SPDX-License-Identifier: MIT
"""Distortion of a map: stretching and fold-overs, which growth and evolution do not produce."""

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import perpendicular_vectors

__all__ = ["BOUND", "carried_normals", "plausibility", "stretches"]

BOUND = 3.0  # stretch above which a map is implausible
FOLDED = -0.5  # cosine; at crests and cusps normals differ by up to a right angle


def stretches(jacobians: FloatArray, normals: FloatArray) -> FloatArray:
    """Largest factor by which a map stretches or shrinks lengths on the surface, (m,), from 1.

    With s_1 >= s_2 the singular values of the differential on the tangent plane it is
    max(s_1, 1 / s_2), the bound of bounded-distortion maps; infinite where the plane collapses.

    Parameters
    ----------
    jacobians : (m, 3, 3) of the map in space
    normals : (m, 3) unit normals of the source
    """
    basis = perpendicular_vectors(normals)
    values = np.linalg.svd(jacobians @ np.swapaxes(basis, 1, 2), compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(values[:, 0], 1 / values[:, 1]))


def plausibility(
    jacobians: FloatArray, normals: FloatArray, target_normals: FloatArray, reflects: bool
) -> tuple[FloatArray, FloatArray]:
    """Plausibility of the distortion, (m,) from 0 to 1, and the stretch, (m,).

    min(1, 3 / stretch), or 0 if the map folds over: the carried normal is more than 120 degrees
    from all normals of the target around the point.

    Parameters
    ----------
    target_normals : (m, k, 3) unit normals of the target around the carried points; on a thin bone
        those of both its sides
    reflects : whether the map exchanges left and right
    """
    stretch = stretches(jacobians, normals)
    carried = carried_normals(jacobians, normals) * (-1.0 if reflects else 1.0)
    faces = (np.einsum("ij,ikj->ik", carried, target_normals) > FOLDED).any(axis=1)
    return np.where(faces, np.minimum(1.0, BOUND / stretch), 0.0), stretch


def carried_normals(jacobians: FloatArray, normals: FloatArray) -> FloatArray:
    """Unit normals (m, 3) under a map with Jacobian J: J^-T n, normalised.

    They are computed by cofactors, J^-T det J, which exist also where J is singular. A reflection
    has det J < 0, so that it reverses the normals.
    """
    first, second, third = jacobians[:, 0], jacobians[:, 1], jacobians[:, 2]
    rows = [np.cross(second, third), np.cross(third, first), np.cross(first, second)]
    carried = np.einsum("kij,ij->ik", np.array(rows), normals)
    lengths = np.linalg.norm(carried, axis=1, keepdims=True)
    return np.asarray(carried / np.where(lengths > 0, lengths, 1.0))
