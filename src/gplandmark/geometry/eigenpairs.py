# SPDX-License-Identifier: MIT
"""The smallest eigenpairs of a large sparse operator, and the proof that none is missing."""

from typing import Any

import numpy as np
from scipy import sparse

from gplandmark.arrays import FloatArray
from gplandmark.errors import KernelError
from gplandmark.geometry.block_lanczos import block_lanczos

__all__ = ["smallest_eigenpairs"]

SMALL = 500  # below this, and where a third of all pairs is wanted, a dense solver is faster
SAME = 1e-6  # eigenvalues closer than this, relatively, may be one multiple eigenvalue


def smallest_eigenpairs(
    stiffness: sparse.csc_array, mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Solve L f = lambda M f for the `count` smallest lambda: values (count,), vectors (n, count).

    Lanczos iteration on M^1/2 (L + s M)^-1 M^1/2, with start vectors that are always the same.
    A multiple eigenvalue could hide a copy of itself from it, so the number of eigenvalues
    below the last gap is counted independently, by Sylvester's law of inertia.

    Parameters
    ----------
    stiffness : (n, n) L, symmetric and positive semidefinite
    mass : (n,) diagonal of M, all positive

    Raises
    ------
    KernelError
        The iteration does not converge, or misses an eigenvalue.
    """
    from threadpoolctl import threadpool_limits

    few = len(mass) <= max(SMALL, 3 * count)
    # Threads of BLAS wait for each other more than they help on a machine that is not idle.
    with threadpool_limits(1):
        values, vectors = (_dense if few else _lanczos)(stiffness, mass, count)
    if not few:
        _check_complete(stiffness, mass, values)
    vectors /= np.sqrt(mass)[:, None]
    return np.maximum(values, 0.0), vectors * _signs(vectors)


def _dense(
    stiffness: sparse.csc_array, mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    from scipy.linalg import eigh

    root = 1 / np.sqrt(mass)
    values, vectors = eigh(
        root[:, None] * stiffness.toarray() * root, subset_by_index=(0, count - 1)
    )
    return values, vectors


def _lanczos(
    stiffness: sparse.csc_array, mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    shift = 10 / mass.sum()  # of the size of the first eigenvalue
    factor = _factor(stiffness, mass, shift)
    root = np.sqrt(mass)[:, None]
    inverses, vectors = block_lanczos(
        lambda block: np.asarray(root * factor.solve(root * block)), len(mass), count
    )
    return 1 / inverses - shift, vectors


def _factor(stiffness: sparse.csc_array, mass: FloatArray, shift: float) -> Any:
    """LU factors of L + shift M, in an order that keeps them sparse and symmetric."""
    from scipy.sparse.linalg import splu

    try:
        return splu(
            sparse.csc_array(stiffness + sparse.diags_array(shift * mass)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        raise KernelError(
            "The Laplacian of this surface is singular. Use the robust one, or remesh the surface."
        ) from None


def _check_complete(stiffness: sparse.csc_array, mass: FloatArray, values: FloatArray) -> None:
    """Count the eigenvalues below the last gap: as many as L - gap M has negative pivots."""
    gaps = np.flatnonzero(np.diff(values) > SAME * values[-1])
    if len(gaps) == 0:
        return
    last = gaps[-1]
    factor = _factor(stiffness, mass, -(values[last] + values[last + 1]) / 2)
    if not np.array_equal(factor.perm_r, factor.perm_c):
        return  # rows were exchanged, and the signs say nothing
    missed = int(np.count_nonzero(factor.U.diagonal() < 0)) - int(last + 1)
    if missed:
        raise KernelError(
            f"The eigenpairs of the Laplacian are incomplete: {abs(missed)} of {last + 1} are "
            "missing or too many. Ask for a few more eigenpairs, or remesh the surface."
        )


def _signs(vectors: FloatArray) -> FloatArray:
    """Signs that make the largest entry of each column positive."""
    largest = np.abs(vectors).argmax(axis=0)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
