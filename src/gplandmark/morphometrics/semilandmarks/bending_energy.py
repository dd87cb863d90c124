# SPDX-License-Identifier: MIT
"""Bending energy of the thin-plate spline between two shapes."""

import numpy as np
import scipy

from gplandmark.errors import AnalysisError
from gplandmark.numerics.arrays import FloatArray

COINCIDENT = 1e-7  # distance over centroid size at which two points count as one


def bending_energy_matrix(reference: FloatArray) -> FloatArray:
    """Bending energy matrix B (k, k) of reference points (k, d): the energy of Y is tr(Y^T B Y).

    B is the upper left block of the inverse of [[P, Q], [Q^T, 0]], where Q = [1, X] and P has the
    kernel of the spline: r^2 log r in the plane, -r in space (Bookstein 1989). It is 0 on affine
    changes. With points that coincide the inverse does not exist, and the pseudoinverse is used.
    geomorph has the kernel +r in space, and so -B.

    Raises
    ------
    AnalysisError
        There are fewer than d + 2 points: the spline does not bend.
    """
    count, dimension = reference.shape
    if count < dimension + 2:
        raise AnalysisError(
            f"Bending energy needs at least {dimension + 2} landmarks, got {count}. "
            "Slide by Procrustes distance instead."
        )
    radii = np.linalg.norm(reference[:, None] - reference, axis=2)
    kernel = radii**2 * np.log(np.where(radii > 0, radii, 1.0)) if dimension == 2 else -radii
    affine = np.column_stack([np.ones(count), reference])
    zero = np.zeros((dimension + 1, dimension + 1))
    system = np.block([[kernel, affine], [affine.T, zero]])
    size = np.linalg.norm(reference - reference.mean(axis=0))
    apart = radii[~np.eye(count, dtype=bool)].min() > COINCIDENT * size
    return np.asarray(_inverse(system, regular=bool(apart))[:count, :count])


def _inverse(system: FloatArray, *, regular: bool) -> FloatArray:
    import warnings

    if regular:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
                return np.asarray(scipy.linalg.inv(system))
        except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
            pass
    return np.asarray(scipy.linalg.pinvh(system))
