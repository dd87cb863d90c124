# SPDX-License-Identifier: MIT
"""The largest eigenpairs of a symmetric operator, several Lanczos vectors at a time."""

from collections.abc import Callable

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import KernelError

__all__ = ["block_lanczos"]

BLOCK = 10  # wide enough for products of matrices, narrow enough to converge as soon as one vector
LONGEST = 4.0  # basis vectors per eigenpair at most; 3 are usual
ACCURACY = 1e-11  # of a residual, as a share of its eigenvalue
GOLDEN = (5**0.5 - 1) / 2


def block_lanczos(
    operator: Callable[[FloatArray], FloatArray], size: int, count: int
) -> tuple[FloatArray, FloatArray]:
    """Find the `count` largest eigenvalues, falling, and their unit vectors (size, count).

    The basis is kept whole and orthogonal and is never restarted. It takes two to three times
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
    """Vectors without any pattern that a surface could share, the same every time."""
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
