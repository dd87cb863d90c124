# SPDX-License-Identifier: MIT
"""A Gaussian process on deformations: smooth, of every size from the whole to a cusp.

A deformation is x -> z + u(z) with z = pose(x). Each coordinate of u is a Gaussian process with

    K(z, w) = sum_l (strain l)^2 exp(-|z - w|^2 / (2 l^2)),    l = 1, 1/2, 1/4, 1/8 sqrt(area),

so that the typical strain, displacement over length, is the same at every size.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from gplandmark.arrays import FloatArray
from gplandmark.kernel.squared_exponential import gaussian
from gplandmark.matching.correspondence import soft_goals
from gplandmark.matching.distortion import carried_normals
from gplandmark.matching.points import Levels
from gplandmark.matching.rigid import Pose

__all__ = ["Deformation", "fit_deformation"]

LENGTHS = (1.0, 0.5, 0.25, 0.125)
STRAIN = 0.2
OBSERVATIONS = 250  # what a surface counts for: its points are many, but not independent
# Level of the points; width of the correspondence at first and at last; steps.
STAGES = ((1, 0.12, 0.04, 15), (2, 0.035, 0.025, 6))
JITTER = 1e-6  # of the diagonal: neighbouring centres are nearly the same observation


@dataclass(frozen=True, eq=False)
class Deformation:
    """The posterior of a deformation.

    Attributes
    ----------
    pose : applied first
    centres : (r, 3) points that carry the process, in the new pose
    coefficients : (r, 3) of the mean, u(z) = sum_k K(z, c_k) a_k
    precision : (r, r) by which observations lower the variance
    """

    pose: Pose
    centres: FloatArray
    coefficients: FloatArray
    precision: FloatArray

    def at(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) carried by the mean of the process."""
        moved = self.pose.at(points)
        return np.asarray(moved + _covariance(moved, self.centres) @ self.coefficients)

    def variance(self, points: FloatArray) -> FloatArray:
        """Variance of each coordinate of the carried points, (m,)."""
        rows = _covariance(self.pose.at(points), self.centres)
        prior = sum((STRAIN * length) ** 2 for length in LENGTHS)
        known = np.einsum("ij,ij->i", rows @ self.precision, rows)
        return np.asarray(np.maximum(prior - known, 0.0))

    def jacobian(self, points: FloatArray) -> FloatArray:
        """Derivatives of the carried points by the given ones, (m, 3, 3): rows are coordinates."""
        moved = self.pose.at(points)
        slopes = _slopes(moved, self.centres)
        inner = _inner_jacobian(slopes, moved, self.centres, self.coefficients)
        return np.asarray(inner @ self.pose.rotation.T)


def fit_deformation(source: Levels, target: Levels, pose: Pose) -> Deformation:
    """Bend the source onto the target: correspondence and kriging in turns, ever sharper.

    A step finds the soft goal y_i of every point z_i with its weight p_i, then predicts the
    displacements u from y_i - z_i, observed with the noise width^2 / (250 p_i). The process lives
    on the 250 points of the coarser level (subset of regressors).
    """
    centres = pose.at(source[1].positions)
    inner = _covariance(centres, centres)
    inner[np.diag_indices_from(inner)] *= 1 + JITTER
    root = np.linalg.cholesky(inner)
    whitened = np.zeros((len(centres), 3))
    for level, wide, narrow, steps in STAGES:
        points = source[level]
        moved, normals = pose.at(points.positions), points.normals @ pose.rotation
        rows = solve_triangular(root, _covariance(centres, moved), lower=True).T
        slopes = _slopes(moved, centres)
        for width in np.geomspace(wide, narrow, steps):
            coefficients = solve_triangular(root.T, whitened)
            jacobians = _inner_jacobian(slopes, moved, centres, coefficients)
            features = points.features(moved + rows @ whitened, carried_normals(jacobians, normals))
            goals, weights = soft_goals(points, features, target[level], width)
            trust = (OBSERVATIONS / width**2 * weights)[:, None]
            system = cho_factor(rows.T @ (trust * rows) + np.eye(len(centres)), lower=True)
            whitened = cho_solve(system, rows.T @ (trust * (goals - moved)))
    unroot = solve_triangular(root, np.eye(len(centres)), lower=True)
    known = np.eye(len(centres)) - cho_solve(system, np.eye(len(centres)))
    return Deformation(pose, centres, unroot.T @ whitened, unroot.T @ known @ unroot)


def _covariance(points: FloatArray, others: FloatArray) -> FloatArray:
    total = np.zeros((len(points), len(others)))
    for length in LENGTHS:
        total += (STRAIN * length) ** 2 * gaussian(points, others, 2 * length**2)
    return total


def _slopes(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Factors s of the derivatives dK(z, c)/dz = -s(z, c) (z - c), shape (m, r)."""
    total = np.zeros((len(points), len(centres)))
    for length in LENGTHS:
        total += STRAIN**2 * gaussian(points, centres, 2 * length**2)
    return total


def _inner_jacobian(
    slopes: FloatArray, points: FloatArray, centres: FloatArray, coefficients: FloatArray
) -> FloatArray:
    """I + du/dz at points in the new pose, (m, 3, 3)."""
    outer = (coefficients[:, :, None] * centres[:, None, :]).reshape(len(centres), 9)
    at_point = (slopes @ coefficients)[:, :, None] * points[:, None, :]
    return np.asarray(np.eye(3) + (slopes @ outer).reshape(-1, 3, 3) - at_point)
