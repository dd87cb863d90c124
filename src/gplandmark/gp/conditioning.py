# SPDX-License-Identifier: MIT
"""Columns of given landmarks, made independent: what kriging and the power function share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, solve_triangular

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.limits import noise_floor
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Whitened", "checked_landmarks", "whiten"]

MARGIN = 0.125  # selected landmarks pass, although pivots are rounded anew


@dataclass(frozen=True, eq=False)
class Whitened:
    """K(X, X) + noise = R R^T with R lower triangular, and the rows R^-1 K(X, .).

    Attributes
    ----------
    factor : (m, m) R
    rows : (m, n) R^-1 K(X, .), so that v(x) = K(x, x) - sum of squares of column x
    variance : (n,) v
    """

    factor: FloatArray
    rows: FloatArray
    variance: FloatArray


def whiten(
    kernel: Kernel, landmarks: Sequence[int] | IndexArray, noise: float | FloatArray = 0.0
) -> Whitened:
    """Factor the covariance of the landmarks, in the order given.

    Parameters
    ----------
    kernel : over n points
    landmarks : (m,) points, at least one
    noise : variance of the error of an observation, one for all or (m,)

    Raises
    ------
    SettingsError
        There is no landmark, or one that does not exist.
    KernelError
        Without noise, a landmark is repeated or determined by those before it.
    """
    indices = checked_landmarks(landmarks, kernel.size)
    if len(indices) == 0:
        raise SettingsError("There are no landmarks. Give at least one.")
    columns = np.ascontiguousarray(kernel.columns(indices).T)
    covariance = columns[:, indices] + np.diag(np.broadcast_to(noise, len(indices)))
    diagonal = kernel.diagonal()
    factor = _cholesky(covariance, indices, MARGIN * noise_floor(kernel) * float(diagonal.max()))
    rows = solve_triangular(factor, columns, lower=True, overwrite_b=True)
    # Rounding can dip below 0, where no variance is.
    variance = np.maximum(diagonal - np.einsum("ij,ij->j", rows, rows), 0.0)
    return Whitened(factor, rows, variance)


def checked_landmarks(landmarks: Sequence[int] | IndexArray, size: int) -> IndexArray:
    """Landmarks as an array (m,), if they are whole numbers of vertices that exist."""
    given = np.asarray(landmarks)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise SettingsError("Landmarks must be given as a list of vertex numbers.")
    wrong = (given < 0) | (given >= size)
    if wrong.any():
        raise SettingsError(
            f"Vertex {given[wrong][0]} does not exist: vertices are numbered 0 to {size - 1}."
        )
    return given.astype(np.int64)


def _cholesky(covariance: FloatArray, indices: IndexArray, floor: float) -> FloatArray:
    """Lower factor; a pivot at the floor names the landmark that adds nothing."""
    factor, failed = lapack.dpotrf(covariance, lower=1)
    pivots = np.diag(factor)[: failed - 1 if failed else None]
    low = np.flatnonzero(pivots**2 <= floor)
    if failed or len(low):
        landmark = int(low[0]) if len(low) else failed - 1
        raise KernelError(
            f"The landmark at vertex {indices[landmark]} is repeated or determined by those "
            "before it: their covariance is singular. Leave it out, or allow for more noise."
        )
    return np.asarray(factor)
