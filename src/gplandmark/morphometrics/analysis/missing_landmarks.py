# SPDX-License-Identifier: MIT
"""Estimates of missing landmarks from the other specimens, with their expected error.

A shape x, all landmarks as one vector, is Gaussian with the mean m and the covariance

    S = (1 - a) S_0 + a t K,

S_0 that of the sample and K(i, j) = exp(-d_ij^2 / (2 l^2)) for each coordinate, with d_ij the
distance of two landmarks of the mean shape, l a third of the typical one and t the mean variance
of S_0. Missing landmarks, given the others, have the conditional mean and variance. The fraction a,
and a factor of the variance, are learned by leaving each complete specimen out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import AnalysisError
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.configurations import FEWEST, same_landmarks
from gplandmark.morphometrics.analysis.procrustes import generalised_procrustes
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.rotations import similarity_onto

COMPLETE = 5  # specimens with all landmarks that are needed
FRACTIONS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75)  # a, of which the best is used
LENGTH = 1 / 3  # l over the root mean square distance of landmarks
NOISE = 0.02  # variance of digitising, over the mean variance of a coordinate
ROUNDS = 4  # of superimposing and estimating


@dataclass(frozen=True, eq=False)
class ShapeDistribution:
    """A Gaussian distribution of shapes.

    Attributes
    ----------
    mean : (k, 3) the mean shape
    sample : (3k, 3k) covariance of the sample
    smooth : (3k, 3k) covariance of a smooth deformation, with the same mean variance
    fraction : a, of the second in the mixture
    """

    mean: FloatArray
    sample: FloatArray
    smooth: FloatArray
    fraction: float

    @classmethod
    def of(cls, shapes: FloatArray, fraction: float) -> "ShapeDistribution":
        """The distribution of superimposed shapes (s, k, 3)."""
        mean = shapes.mean(axis=0)
        rows = (shapes - mean).reshape(len(shapes), -1)
        sample = rows.T @ rows / max(len(shapes) - 1, 1)
        apart = scipy.spatial.distance.cdist(mean, mean)
        length = LENGTH * np.sqrt((apart**2).mean())
        smooth = np.kron(np.exp(-(apart**2) / (2 * length**2)), np.eye(3))
        return cls(mean, sample, smooth * np.trace(sample) / len(sample), fraction)

    def given(self, points: FloatArray, known: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Conditional mean (k, 3) of a shape of which some landmarks (k,) are known; variance (k,).

        The variance is the expected squared error of a landmark, 0 where it is known.
        """
        covariance = (1 - self.fraction) * self.sample + self.fraction * self.smooth
        noise = NOISE * np.trace(self.sample) / len(self.sample)
        given = np.repeat(known, 3)
        inner = covariance[np.ix_(given, given)] + noise * np.eye(given.sum())
        across = covariance[np.ix_(~given, given)]
        gain = np.linalg.solve(inner, across.T).T
        rest = covariance[np.ix_(~given, ~given)] - gain @ across.T
        found = points.copy()
        offsets = gain @ (points[known] - self.mean[known]).ravel()
        found[~known] = self.mean[~known] + offsets.reshape(-1, 3)
        variance = np.zeros(len(known))
        variance[~known] = np.maximum(np.diag(rest), 0.0).reshape(-1, 3).sum(axis=1)
        return found, variance


@dataclass(frozen=True, eq=False)
class EstimatedLandmarks:
    """Missing landmarks of s specimens, estimated.

    Attributes
    ----------
    names, labels : of the specimens and of the k landmarks
    points : (s, k, 3) in the coordinates of each file; NaN where a landmark is not an estimate
    variance : (s, k) expected squared error, in squared file units; NaN likewise
    fraction : a, of the smooth covariance
    complete : number of specimens with all landmarks, from which the others are estimated
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    points: FloatArray
    variance: FloatArray
    fraction: float
    complete: int


def estimate_missing(
    collection: Sequence[Landmarks], *, reflect: bool = False
) -> EstimatedLandmarks:
    """Estimate the landmarks that specimens lack from those that they have.

    Specimens with fewer than three landmarks get no estimate.

    Parameters
    ----------
    collection : specimens with the same landmarks; a missing one is NaN
    reflect : allow reflections, for left and right sides in one sample

    Raises
    ------
    AnalysisError
        Fewer than five specimens have all landmarks, or specimens cannot be compared.
    """
    given = same_landmarks(collection)
    whole = ~given.missing.any(axis=1)
    if whole.sum() < COMPLETE:
        raise AnalysisError(
            f"Missing landmarks are estimated from specimens that have all of them. There are "
            f"{whole.sum()}, and at least {COMPLETE} are needed."
        )
    names = np.array(given.names)[whole]
    complete = [
        Landmarks.at(points, name) for points, name in zip(given.points[whole], names, strict=True)
    ]
    shapes = generalised_procrustes(complete, reflect=reflect).shapes
    points = np.full(given.points.shape, np.nan)
    variance = np.full(given.missing.shape, np.nan)
    broken = [row for row in np.flatnonzero(~whole) if (~given.missing[row]).sum() >= FEWEST]
    fraction, factor = learned_by_leaving_out(shapes, [~given.missing[row] for row in broken])
    distribution = ShapeDistribution.of(shapes, fraction)
    for row in broken:
        gone = given.missing[row]
        found, square = estimate_one(distribution, given.points[row], ~gone, reflect=reflect)
        points[row, gone], variance[row, gone] = found[gone], factor * square[gone]
    return EstimatedLandmarks(
        given.names, given.labels, points, variance, fraction, int(whole.sum())
    )


def estimate_one(
    distribution: ShapeDistribution, points: FloatArray, known: BoolArray, *, reflect: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Landmarks (k, 3) of one specimen with estimates of the unknown ones; and variance (k,).

    The specimen is superimposed on the mean shape by the landmarks that it has; then by all, with
    their estimates, a few times.
    """
    goal, used = distribution.mean, known
    found = points.copy()
    for _ in range(ROUNDS):
        scale, rotation, shift = similarity_onto(found[used], goal[used], reflect=reflect)
        shape = np.where(known[:, None], scale * points @ rotation + shift, 0.0)
        estimate, variance = distribution.given(shape, known)
        found = np.where(known[:, None], points, (estimate - shift) @ rotation.T / scale)
        used = np.ones_like(known)
    return found, variance / scale**2


def learned_by_leaving_out(
    shapes: FloatArray, patterns: Sequence[BoolArray]
) -> tuple[float, float]:
    """The fraction a, and a factor of the variance, from complete specimens that lose landmarks.

    Each of the shapes (s, k, 3) is left out in turn, and loses what others lack: the patterns say
    which landmarks are known. a has the least squared error; the factor is that error over the
    variance, which ignores that the superimposition is uncertain, and that the sample is small.
    """
    if not patterns:
        return FRACTIONS[0], 1.0
    squares, expected = np.zeros((2, len(FRACTIONS)))
    for row, shape in enumerate(shapes):
        known = patterns[row % len(patterns)]
        others = np.delete(shapes, row, axis=0)
        for column, fraction in enumerate(FRACTIONS):
            found, variance = estimate_one(ShapeDistribution.of(others, fraction), shape, known)
            squares[column] += ((found - shape) ** 2).sum()
            expected[column] += variance.sum()
    best = int(np.argmin(squares))
    return FRACTIONS[best], float(squares[best] / max(expected[best], np.finfo(float).tiny))
