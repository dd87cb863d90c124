"""Kernels for tests that need no surface: any matrix, and a smooth one."""

from dataclasses import dataclass

import numpy as np
from reference import dense_kernel


@dataclass(frozen=True)
class MatrixKernel:
    """Any matrix as a kernel: nothing but its diagonal and its columns is known of it."""

    matrix: np.ndarray

    @property
    def size(self):
        return len(self.matrix)

    def diagonal(self):
        return np.diag(self.matrix).copy()

    def columns(self, indices):
        return self.matrix[:, indices]

    def block(self, rows, columns):
        return self.matrix[np.ix_(rows, columns)]


def smooth_kernel(seed, size=60, eps=0.05):
    random = np.random.default_rng(seed)
    return MatrixKernel(dense_kernel(random.random((size, 2)), random.random(size), eps))


def conditional(matrix, landmarks):
    """Covariance that is left given landmarks, by an explicit solve."""
    if len(landmarks) == 0:
        return matrix
    among = matrix[np.ix_(landmarks, landmarks)]
    return matrix - matrix[:, landmarks] @ np.linalg.solve(among, matrix[landmarks])
