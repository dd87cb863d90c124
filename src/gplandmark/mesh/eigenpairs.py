# SPDX-License-Identifier: MIT
"""The smallest eigenpairs of a large sparse operator, and a check that none is missing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from gplandmark.errors import KernelError
from gplandmark.numerics.arrays import FloatArray, IndexArray

DENSE = 500  # below this, and if a third of all pairs is wanted, a dense solver is faster
SAME = 1e-6  # eigenvalues closer than this, relatively, may be one multiple eigenvalue


def smallest_eigenpairs(
    stiffness: "scipy.sparse.csc_array", mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Solve L f = lambda M f for the `count` smallest lambda: values (count,), vectors (n, count).

    Lanczos iteration on M^1/2 (L + s M)^-1 M^1/2, with start vectors that are always the same.
    A multiple eigenvalue could hide a copy of itself from it, so the number of eigenvalues
    below the last spectral gap is counted independently, by Sylvester's law of inertia.

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

    few = len(mass) <= max(DENSE, 3 * count)
    # Threads of BLAS wait for each other more than they help on a machine that is not idle.
    with threadpool_limits(1):
        values, vectors = (_dense if few else _lanczos)(stiffness, mass, count)
    if not few:
        _check_complete(stiffness, mass, values)
    vectors /= np.sqrt(mass)[:, None]
    return np.maximum(values, 0.0), vectors * _signs(vectors)


def _dense(
    stiffness: "scipy.sparse.csc_array", mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    from scipy.linalg import eigh

    root = 1 / np.sqrt(mass)
    scaled = root[:, None] * stiffness.toarray() * root
    values, vectors = eigh(scaled, subset_by_index=(0, count - 1))
    return values, vectors


def _lanczos(
    stiffness: "scipy.sparse.csc_array", mass: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    shift = 10 / mass.sum()  # of the size of the first eigenvalue
    factor = _factor(stiffness, mass, shift)
    root = np.sqrt(mass)[:, None]
    inverses, vectors = block_lanczos(
        lambda block: np.asarray(root * factor.solve(root * block)), len(mass), count
    )
    return 1 / inverses - shift, vectors


def _factor(stiffness: "scipy.sparse.csc_array", mass: FloatArray, shift: float) -> Any:
    """LU factors of L + shift M, in an order that keeps them sparse and symmetric."""
    from scipy.sparse.linalg import splu

    try:
        return splu(
            scipy.sparse.csc_array(stiffness + scipy.sparse.diags_array(shift * mass)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        raise KernelError(
            "The Laplacian of this surface is singular. Use the robust one, or remesh the surface."
        ) from None


def _check_complete(
    stiffness: "scipy.sparse.csc_array", mass: FloatArray, values: FloatArray
) -> None:
    """Count the eigenvalues below the last gap: as many as L - gap M has negative pivots."""
    gaps = spectral_gaps(values)
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


def spectral_gaps(values: FloatArray) -> IndexArray:
    """Numbers of the eigenvalues after which there is a gap; others may be copies of the next."""
    return np.flatnonzero(np.diff(values) > SAME * values[-1])


def _signs(vectors: FloatArray) -> FloatArray:
    """Signs that make the largest entry of each column positive."""
    largest = np.abs(vectors).argmax(axis=0)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


BLOCK = 10  # wide enough for products of matrices, narrow enough to converge as soon as one vector
LONGEST = 4.0  # basis vectors per eigenpair at most; typically 3
ACCURACY = 1e-11  # of a residual, relative to its eigenvalue
GOLDEN = (5**0.5 - 1) / 2


def block_lanczos(
    operator: Callable[[FloatArray], FloatArray], size: int, count: int
) -> tuple[FloatArray, FloatArray]:
    """Find the `count` largest eigenvalues, falling, and their unit vectors (size, count).

    The complete basis is kept orthogonal and is never restarted. It takes two to three times
    the memory of a restarted iteration, but nearly all work is products of large matrices, where
    an iteration with single vectors waits for memory.

    Parameters
    ----------
    operator : maps a block of vectors (size, b) to the same shape; symmetric

    Raises
    ------
    KernelError
        It does not converge.
    """
    most = min(size - BLOCK, int(LONGEST * count) + 20 * BLOCK) // BLOCK * BLOCK
    basis = np.empty((size, most + BLOCK), order="F")
    basis[:, :BLOCK] = np.linalg.qr(_start(size))[0]
    projected = np.zeros((most, most))
    check = 2 * count
    for length in range(BLOCK, most + 1, BLOCK):
        known, last = basis[:, :length], slice(length - BLOCK, length)
        coefficients, following, rest = _split(operator(basis[:, last]), known)
        projected[:length, last] = coefficients
        if length >= check or length == most:
            values, vectors = _ritz(projected[:length, :length], count)
            residuals = np.linalg.norm(rest @ vectors[last], axis=0)
            if length >= count and (residuals <= ACCURACY * values).all():
                return values, known @ vectors
            check = length + max(2 * BLOCK, count // 6)
        basis[:, length : length + BLOCK] = following
    found = int(np.count_nonzero(residuals <= ACCURACY * values))
    raise KernelError(
        f"Only {found} of {count} eigenpairs of the Laplacian converged. "
        "Ask for fewer, use the robust Laplacian, or remesh the surface."
    )


def _start(size: int) -> FloatArray:
    """Vectors without a pattern that a surface could have, the same every time."""
    slopes = np.modf(np.sqrt(np.arange(2, 2 + BLOCK)) * GOLDEN)[0]
    return np.asarray(np.modf(np.outer(np.arange(1, size + 1), slopes))[0] - 0.5)


def _split(block: FloatArray, basis: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Write a block as basis @ coefficients + following @ rest, with `following` orthonormal.

    Twice, because what is left of the block after the first time is orthogonal to the basis
    only up to rounding, magnified by how little is left.
    """
    coefficients = basis.T @ block
    following, rest = np.linalg.qr(block - basis @ coefficients)
    again = basis.T @ following
    coefficients += again @ rest
    following, inner = np.linalg.qr(following - basis @ again)
    return coefficients, following, inner @ rest


def _ritz(projected: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenpairs of the operator within the basis; its upper triangle was computed."""
    from scipy.linalg import eigh

    size = len(projected)
    wanted = (max(size - count, 0), size - 1)
    values, vectors = eigh(projected, lower=False, subset_by_index=wanted)
    return values[::-1], vectors[:, ::-1]
