# SPDX-License-Identifier: MIT
"""The covariance of deformations: a sum of Gaussians of five lengths, with equal typical strain."""

import numpy as np

from gplandmark.gp.kernels.stationary import gaussian
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.native import choose_loops

LENGTHS = (1.0, 0.5, 0.25, 0.125, 0.0625)  # in units of size
STRAIN = 0.1
SQUARES = np.square(LENGTHS)
VARIANCES = STRAIN**2 * SQUARES
VALUES_AND_SLOPES = np.array([VARIANCES, VARIANCES / SQUARES])  # factors of the Gaussians
BLOCK = 128  # rows of kernels that are summed at once, to fit into the cache


def covariance(points: FloatArray, others: FloatArray) -> FloatArray:
    """K(z, w) at points (m, 3) and others (r, 3), shape (m, r)."""
    return np.asarray(_summed(points, others, VARIANCES[None])[0])


def covariance_and_slopes(points: FloatArray, centres: FloatArray) -> tuple[FloatArray, FloatArray]:
    """K(z, c), and the factors s of its derivatives dK(z, c)/dz = -s(z, c) (z - c), (m, r) each."""
    values, slopes = _summed(points, centres, VALUES_AND_SLOPES)
    return values, slopes


def _summed(points: FloatArray, others: FloatArray, factors: FloatArray) -> FloatArray:
    """Sums over l of a_l exp(-d^2 / (2 l^2)) for each row a of the factors, (k, m, r).

    Each length is half of the one before it, so that each exponential is the fourth power of the
    one before it.
    """
    sums = np.zeros((len(factors), len(points), len(others)))
    for start in range(0, len(points), BLOCK):
        block = slice(start, start + BLOCK)
        entries = gaussian(points[block], others, 2 * LENGTHS[0] ** 2)
        for number, column in enumerate(factors.T):
            if number > 0:
                entries *= entries
                entries *= entries
            for total, factor in zip(sums[:, block], column, strict=True):
                total += factor * entries
    return sums


def mixed_sums(
    points: FloatArray, centres: FloatArray, values: FloatArray, factors: FloatArray
) -> FloatArray:
    """sum_k sum_l a_l exp(-|z - c_k|^2 / (2 l^2)) v_k for rows a of factors (f, l), (f, m, v)."""
    sums = np.zeros((len(factors), values.shape[1], len(points)))
    choose_loops().pair_sums(
        np.ascontiguousarray(points.T), centres, np.ascontiguousarray(values),
        np.ascontiguousarray(factors), sums, 1 / (2 * LENGTHS[0] ** 2),
    )  # fmt: skip
    return np.swapaxes(sums, 1, 2)
