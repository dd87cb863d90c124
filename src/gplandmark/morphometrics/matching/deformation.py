# SPDX-License-Identifier: MIT
"""Gaussian process deformations: smooth maps at every length scale, from a tooth to a cusp.

A deformation is x -> z + u(z) with z = pose(x). Each coordinate of u is a Gaussian process with

    K(z, w) = sum_l (strain l)^2 exp(-|z - w|^2 / (2 l^2)),    l = 1, 1/2, 1/4, 1/8, 1/16,

in units of size. The typical strain, displacement over length, is the same at every length scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from gplandmark.morphometrics.matching.multiscale_kernel import (
    VALUES_AND_SLOPES,
    VARIANCES,
    covariance,
    covariance_and_slopes,
    mixed_sums,
)
from gplandmark.morphometrics.matching.points import COARSE, FeatureWeights, Levels, OrientedPoints
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.soft_correspondence import soft_correspondence, tree_of
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray

CENTRES = 1  # level of detail of the inducing points
OBSERVATIONS = 250  # effective number of independent observations on a surface
JITTER = 1e-6  # relative to the diagonal

Single = npt.NDArray[np.float32]  # precise enough for sums over thousands of points, and faster


@dataclass(frozen=True)
class Stage:
    """One stage of fitting, from coarse to fine.

    Attributes
    ----------
    level : of detail of the points that are compared
    wide, narrow : first and last width of the correspondence, in units of size
    steps : number of widths
    by : weights of normals and local form
    """

    level: int
    wide: float
    narrow: float
    steps: int
    by: FeatureWeights


# Local form and normals guide the first stage; positions dominate the last.
STAGES = (
    Stage(2, 0.12, 0.04, 8, COARSE),
    Stage(3, 0.037, 0.017, 4, FeatureWeights(0.1, 0.3)),
    Stage(4, 0.013, 0.005, 5, FeatureWeights(0.1, 0.3)),
)


@dataclass(frozen=True, eq=False)
class Deformation:
    """The posterior mean of the process.

    Attributes
    ----------
    pose : applied first
    centres : (r, 3) inducing points c_k, in the new pose
    coefficients : (r, 3) a_k of the mean u(z) = sum_k K(z, c_k) a_k
    """

    pose: Pose
    centres: FloatArray
    coefficients: FloatArray

    @property
    def displacement(self) -> float:
        """Root mean square displacement |u| at the centres, in units of size."""
        moves = covariance(self.centres, self.centres) @ self.coefficients
        return float(np.sqrt((moves**2).sum(axis=1).mean()))

    def at(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) under the deformation."""
        moved = self.pose.at(points)
        return np.asarray(
            moved + mixed_sums(moved, self.centres, self.coefficients, VARIANCES[None])[0]
        )

    def with_jacobian(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Carried points (m, 3), and their derivatives by the given ones, (m, 3, 3).

        Rows of a derivative are coordinates of the carried point.
        """
        moved = self.pose.at(points)
        both = _with_products(self.centres, self.coefficients)
        slopes, sums = mixed_sums(moved, self.centres, both, VALUES_AND_SLOPES[::-1])
        jacobians = self.pose.scale * _jacobian_of_sums(slopes, moved) @ self.pose.rotation.T
        return moved + sums[:, 9:], jacobians


@dataclass(frozen=True, eq=False)
class Composition:
    """Composition of deformations along a chain of specimens."""

    parts: tuple[Deformation, ...]

    @property
    def reflects(self) -> bool:
        """Whether it exchanges left and right."""
        return sum(part.pose.reflects for part in self.parts) % 2 == 1

    @property
    def displacement(self) -> float:
        """Root of the sum of the squared displacements, in units of size."""
        return float(np.sqrt(sum(part.displacement**2 for part in self.parts)))

    def at(self, points: FloatArray) -> FloatArray:
        """Points (m, 3) under the composition."""
        for part in self.parts:
            points = part.at(points)
        return points

    def with_jacobian(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Carried points (m, 3), and their derivatives by the given ones, (m, 3, 3)."""
        total = np.broadcast_to(np.eye(3), (len(points), 3, 3))
        for part in self.parts:
            points, jacobians = part.with_jacobian(points)
            total = jacobians @ total
        return points, total

    def with_normals(
        self, points: FloatArray, normals: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Carried points (m, 3), and the outward unit normals (m, 3) there."""
        points, jacobians = self.with_jacobian(points)
        carried = carried_normals(jacobians, normals)
        return points, -carried if self.reflects else carried


def fit_deformation(
    source: Levels, target: Levels, pose: Pose, stages: Sequence[Stage] = STAGES
) -> Deformation:
    """Deform the source to fit the target, alternating correspondence and Gaussian regression.

    A step finds the corresponding point y_i of every point z_i, with its weight p_i. It then
    predicts the displacements u from the observations y_i - z_i, with the noise variance
    width^2 / (250 p_i). The width decreases from step to step. The process is represented by the
    500 points of a coarser level (subset of regressors).
    """
    centres = pose.at(source[CENTRES].positions)
    inner = covariance(centres, centres)
    inner[np.diag_indices_from(inner)] *= 1 + JITTER
    root = np.asarray(np.linalg.cholesky(inner), dtype=np.float64)
    whitened = np.zeros((len(centres), 3))
    for stage in stages:
        surfaces = source[stage.level], target[stage.level]
        whitened = _fit_stage(*surfaces, pose, stage, centres, root, whitened)
    return Deformation(pose, centres, scipy.linalg.solve_triangular(root.T, whitened))


def _fit_stage(
    source: OrientedPoints,
    target: OrientedPoints,
    pose: Pose,
    stage: Stage,
    centres: FloatArray,
    root: FloatArray,
    whitened: FloatArray,
) -> FloatArray:
    """Whitened coefficients (r, 3) of the mean after a stage, from those before it."""
    moved, normals = pose.at(source.positions), source.normals @ pose.rotation
    values, factors = covariance_and_slopes(moved, centres)
    rows = _single(scipy.linalg.solve_triangular(_single(root), _single(values).T, lower=True).T)
    slopes = _single(factors)
    tree = tree_of(target.positions)
    for width in np.geomspace(stage.wide, stage.narrow, stage.steps):
        coefficients = scipy.linalg.solve_triangular(root.T, whitened)
        jacobians = _inner_jacobian(slopes, moved, centres, coefficients)
        bent = replace(
            source,
            positions=moved + rows @ _single(whitened),
            normals=carried_normals(jacobians, normals),
        )
        goals, weights = soft_correspondence(bent, target, width, stage.by, tree)
        trust = (OBSERVATIONS / width**2 * weights)[:, None]
        scaled = rows * _single(np.sqrt(trust))
        system = np.eye(len(centres)) + scaled.T @ scaled
        whitened = scipy.linalg.cho_solve(
            scipy.linalg.cho_factor(system, lower=True), rows.T @ _single(trust * (goals - moved))
        )
    return np.asarray(whitened)


def _single(values: FloatArray) -> Single:
    return np.ascontiguousarray(values, dtype=np.float32)


def _inner_jacobian(
    slopes: FloatArray | Single, points: FloatArray, centres: FloatArray, coefficients: FloatArray
) -> FloatArray:
    """I + du/dz at points in the new pose, (m, 3, 3)."""
    both = slopes @ _with_products(centres, coefficients).astype(slopes.dtype)
    return _jacobian_of_sums(both, points)


def _with_products(centres: FloatArray, coefficients: FloatArray) -> FloatArray:
    """The products a_k c_k^T and the coefficients a_k, (r, 9 + 3)."""
    products = (coefficients[:, :, None] * centres[:, None, :]).reshape(len(centres), 9)
    return np.column_stack([products, coefficients])


def _jacobian_of_sums(sums: FloatArray | Single, points: FloatArray) -> FloatArray:
    """I + sum_k s(z, c_k) a_k (c_k - z)^T, (m, 3, 3), from sums of `_with_products` (m, 12)."""
    at_point = sums[:, 9:, None] * points[:, None, :]
    return np.asarray(np.eye(3) + sums[:, :9].reshape(-1, 3, 3) - at_point)


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
