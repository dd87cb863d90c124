# SPDX-License-Identifier: MIT
"""Chebyshev nodes of boxes, on which polynomials carry variances and columns of the factor."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from gplandmark.numerics.arrays import FloatArray

MOST = 32  # nodes along one axis, as many as the compiled loops take


@dataclass(frozen=True)
class Nodes:
    """Chebyshev nodes of a box: those of columns, and matrices to those of variances, by axis."""

    columns: tuple[FloatArray, FloatArray, FloatArray]
    matrices: tuple[FloatArray, FloatArray, FloatArray]

    @property
    def count(self) -> int:
        """Nodes of a column."""
        return int(np.prod([len(axis) for axis in self.columns]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Nodes of the variance along each axis."""
        return tuple(len(matrix) for matrix in self.matrices)


def column_nodes(box: FloatArray, counts: list[int], scale: float, tolerance: float) -> Nodes:
    """Nodes that carry columns over a box to tolerance, and their way to those of variances."""
    axes, matrices = [], []
    for low, high, count in zip(*box, counts, strict=True):
        fewer = min(node_count(high - low, scale, tolerance), count)
        axes.append(chebyshev_nodes(low, high, fewer))
        matrices.append(between_nodes(fewer, count))
    return Nodes((axes[0], axes[1], axes[2]), (matrices[0], matrices[1], matrices[2]))


def node_count(length: float, scale: float, tolerance: float) -> int:
    """Chebyshev nodes that carry exp(-2 (x / scale)^2) over an interval to tolerance.

    The q-th derivative of that Gaussian is at most ``(2 / scale)^q sqrt(q!)``, so q nodes over
    half a length r leave an error of ``2 (r / scale)^q / sqrt(q!)``. More than MOST means
    too many.
    """
    half = 0.5 * length / scale
    count, error = 1, 2.0 * half
    while error > tolerance and count <= MOST:
        count += 1
        error *= half / count**0.5
    return count


def chebyshev_nodes(low: float, high: float, count: int) -> FloatArray:
    """Chebyshev points of an interval, ascending."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    return 0.5 * (low + high) - 0.5 * (high - low) * np.cos(angles)


@cache
def between_nodes(fewer: int, count: int) -> FloatArray:
    """The matrix (count, fewer) from values at Chebyshev points to those at others, by series."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    series = np.cos(np.outer(np.pi - angles, np.arange(fewer)))
    return np.ascontiguousarray(series @ to_series(fewer))


@cache
def to_series(count: int) -> FloatArray:
    """The matrix from values at Chebyshev points to coefficients of Chebyshev polynomials."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    matrix: FloatArray = 2.0 / count * np.cos(np.outer(np.arange(count), np.pi - angles))
    matrix[0] *= 0.5
    return matrix
