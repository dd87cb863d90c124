# SPDX-License-Identifier: MIT
"""Fusion of the landmarks of several experts on one target, by kriging over the specimens.

The position of a landmark, carried from specimen e to a target, is a value of a random function of
e: specimens that are alike, by their distance d, have similar values. With the covariance

    C(e, f) = exp(-d(e, f) / l) + noise [e = f]

ordinary kriging gives the weights of the experts. Little noise trusts the nearest expert, much
noise gives all the same weight. An expert whose estimate has a large expected error has more noise.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.prediction.carried_experts import TargetEstimates
from gplandmark.numerics.arrays import BoolArray, FloatArray

LENGTH = 2.0  # l, in units of the median distance between specimens
TRUST = 1.5  # power of the expected squared error to which the noise of an expert is proportional
LEAST_PLAUSIBLE = 0.05  # plausibility of a map below which the noise grows no further
STEPS = 6  # of reweighting
TOLERANCE = 1.0  # median deviations from the mean, above which an estimate weighs less
NEGLIGIBLE = 1e-3  # deviation that is never an outlier, in units of the specimen's extent


@dataclass(frozen=True, eq=False)
class Fusion:
    """Landmarks fused on one target.

    Attributes
    ----------
    points : (k, m, 3) one row for each kind of estimate
    weights : (e, m) of the experts, for the first kind of estimate; they sum to 1
    spread : (m,) their weighted root mean square deviation
    variance : (m,) weighted mean of the experts' expected squared errors
    plausibility : (m,) weighted mean, from 0 to 1
    """

    points: FloatArray
    weights: FloatArray
    spread: FloatArray
    variance: FloatArray
    plausibility: FloatArray


def kriging_weights(distances: FloatArray, between: FloatArray, noise: FloatArray) -> FloatArray:
    """Weights of e experts for m landmarks, (e, m), never negative, with the sum 1.

    They solve C w + mu = c, sum w = 1, with c = exp(-d / l) the covariances with the target.
    Negative weights, which would extrapolate, are set to 0.

    Parameters
    ----------
    distances : (e,) from the target, in units of the length l
    between : (e, e) between the experts' specimens, likewise
    noise : (e, m) relative to the variance between specimens; infinite where a landmark is missing
    """
    count = len(distances)
    known = np.isfinite(noise).T
    covariance = np.where(known[:, :, None] & known[:, None, :], np.exp(-between), 0.0)
    covariance[:, range(count), range(count)] += np.where(known, noise.T, 1.0)
    sides = np.stack([np.exp(-distances) * known, 1.0 * known], axis=2)
    solved = np.linalg.solve(covariance, sides)
    plain, constant = solved[..., 0], solved[..., 1]
    total = constant.sum(axis=1)
    multiplier = (1 - plain.sum(axis=1)) / np.where(total > 0, total, 1.0)
    weights = np.maximum((plain + multiplier[:, None] * constant).T, 0.0) * known.T
    sums = weights.sum(axis=0)
    return np.asarray(weights / np.where(sums > 0, sums, 1.0))


def fuse(estimates: TargetEstimates, noise: float, length: float, extent: float) -> Fusion:
    """Fuse the estimates of several experts on one target, robustly.

    Each kind of estimate is fused by itself. The weight of an expert is that of kriging, divided by
    |y_e - y| / s where this is above 1: y_e is the estimate, y their weighted mean and s the median
    of |y_e - y| over the experts. One bad expert therefore has little influence.

    The noise of an expert is that given, times (v_e / v)^1.5, over the plausibility: v_e is the
    expected squared error of its estimate, and v the geometric mean over the experts.

    Parameters
    ----------
    noise : of the kriging, relative to the variance between specimens
    length : l, in the units of the distances
    extent : of the target, in file units
    """
    known = estimates.known
    noises = np.where(known, noise * _relative_noise(estimates), np.inf)
    prior = kriging_weights(estimates.distances / length, estimates.between / length, noises)
    points = np.where(np.isnan(estimates.points), 0.0, estimates.points)
    fused, weights = [], []
    for kind in range(points.shape[1]):
        positions, final = _robust_mean(points[:, kind], prior, known, NEGLIGIBLE * extent)
        fused.append(positions)
        weights.append(final)
    squares = ((points[:, 0] - fused[0]) ** 2).sum(axis=2)
    variance = np.where(known, estimates.variance, 0.0)
    plausibility = np.where(known, estimates.plausibility, 0.0)
    places = np.array(fused)
    places[:, ~known.any(axis=0)] = np.nan
    return Fusion(
        places,
        weights[0],
        np.sqrt((prior * squares).sum(axis=0)),
        (weights[0] * variance).sum(axis=0),
        (weights[0] * plausibility).sum(axis=0),
    )


def _relative_noise(estimates: TargetEstimates) -> FloatArray:
    """(v_e / v)^1.5 over the plausibility, for e experts and m landmarks, (e, m); 1 if unknown."""
    known = estimates.known
    logs = np.log(np.where(known, np.maximum(estimates.variance, np.finfo(float).tiny), 1.0))
    mean = logs.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    likely = np.maximum(np.where(known, estimates.plausibility, 1.0), LEAST_PLAUSIBLE)
    return np.where(known, np.exp(TRUST * (logs - mean)) / likely, 1.0)


def _robust_mean(
    points: FloatArray, prior: FloatArray, known: BoolArray, negligible: float
) -> tuple[FloatArray, FloatArray]:
    """Robust weighted mean (m, 3) of points (e, m, 3), and the weights (e, m)."""
    weights = prior
    for _ in range(STEPS):
        mean = np.einsum("em,emi->mi", weights, points)
        apart = np.linalg.norm(points - mean, axis=2)
        usual = TOLERANCE * _median(apart, known) + negligible
        weights = prior / np.maximum(1.0, apart / usual)
        total = weights.sum(axis=0)
        weights = weights / np.where(total > 0, total, 1.0)
    return np.einsum("em,emi->mi", weights, points), weights


def _median(values: FloatArray, known: BoolArray) -> FloatArray:
    """Median of the known values of each column, (m,); 0 in a column without any."""
    masked = np.where(known, values, np.nan)
    found = np.zeros(values.shape[1])
    some = known.any(axis=0)
    found[some] = np.nanmedian(masked[:, some], axis=0)
    return found
