# SPDX-License-Identifier: MIT
"""Summaries of landmark errors: accuracy in three units, and calibration of expected errors.

The units are those of the file, % of centroid size and sqrt(area) of the specimen.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.expected_error import NEAR
from gplandmark.numerics.arrays import BoolArray, FloatArray

FILE_UNITS, PERCENT, ROOT_AREA = "file_units", "percent_of_centroid_size", "sqrt_area"
UNITS = {FILE_UNITS: "file units", PERCENT: "% of centroid size", ROOT_AREA: "sqrt(area)"}
CORRECT = 0.15  # mean error of a pair, in sqrt(area), below which its map counts as correct


@dataclass(frozen=True)
class Accuracy:
    """Errors of m landmarks in one unit.

    Attributes
    ----------
    landmarks : their number m; a landmark counts once for each time it was carried
    mean, median, ninetieth, worst : mean, median, 90th percentile and maximum of the errors
    rmse : root mean squared error, sqrt(sum_l e_l^2 / m)
    """

    landmarks: int
    mean: float
    median: float
    ninetieth: float
    worst: float
    rmse: float


@dataclass(frozen=True)
class PairAccuracy:
    """Errors of ordered pairs, each the mean over its landmarks, in units of sqrt(area).

    Attributes
    ----------
    pairs : their number
    mean, median, ninetieth, worst : mean, median, 90th percentile and maximum of the errors
    near : fraction of the pairs below 0.15
    """

    pairs: int
    mean: float
    median: float
    ninetieth: float
    worst: float
    near: float


def accuracy(errors: FloatArray) -> Accuracy | None:
    """Summarise errors of any shape; NaN is ignored. None if all are NaN."""
    known = errors[~np.isnan(errors)]
    if not len(known):
        return None
    return Accuracy(len(known), *_summary(known), float(np.sqrt(np.mean(known**2))))


def pair_accuracy(errors: FloatArray) -> PairAccuracy | None:
    """Summarise the errors (p,) of pairs; NaN is ignored. None if all are NaN."""
    known = errors[~np.isnan(errors)]
    if not len(known):
        return None
    return PairAccuracy(len(known), *_summary(known), float(np.mean(known < CORRECT)))


def _summary(known: FloatArray) -> tuple[float, float, float, float]:
    """Mean, median, 90th percentile and maximum."""
    ninetieth = float(np.quantile(known, 0.9))
    return float(known.mean()), float(np.median(known)), ninetieth, float(known.max())


def accuracies(errors: FloatArray, units: Mapping[str, FloatArray]) -> dict[str, Accuracy]:
    """Summarise errors (..., s, k) on s specimens, given in units of sqrt(area), in every unit.

    `units` are the `scales` of the specimens. The result is empty if all errors are NaN.
    """
    found = {unit: accuracy(errors * scale[:, None]) for unit, scale in units.items()}
    return {unit: each for unit, each in found.items() if each is not None}


def scales(sizes: FloatArray, centroids: FloatArray) -> dict[str, FloatArray]:
    """Factors (s,) from sqrt(area) of each specimen to every unit.

    With sqrt(area) A and centroid size C in file units: A, 100 A / C and 1.
    """
    return {FILE_UNITS: sizes, PERCENT: 100 * sizes / centroids, ROOT_AREA: np.ones(len(sizes))}


def centroid_sizes(points: FloatArray) -> FloatArray:
    """Centroid size (s,) of landmarks (s, k, 3); missing landmarks are ignored.

    C = sqrt(sum_l |x_l - c|^2), c the mean of the landmarks x_l.
    """
    centre = mean_known(points, axis=1)[:, None]
    return np.asarray(np.sqrt(np.nansum((points - centre) ** 2, axis=(1, 2))))


def mean_known(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Mean over an axis of the values that are not NaN; NaN where there are none."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


@dataclass(frozen=True)
class Calibration:
    """Expected errors, 90 % radii and confidence of m landmarks, compared with their errors.

    Attributes
    ----------
    expected : mean expected error, in the unit of the errors
    error : mean error
    within_radius : fraction within the radius that should hold 90 %
    largest : mean error of the tenth with the largest expected errors, divided by that of all
    confidence : mean confidence, the predicted probability of an error below 0.1
    near : fraction with an error below 0.1
    missing : fraction with a confidence below 0.5
    kept : mean error of the others; None if there are none
    kept_near : fraction of the others with an error below 0.1; None if there are none
    dropped : mean error of the missing ones; None if there are none
    """

    expected: float
    error: float
    within_radius: float
    largest: float
    confidence: float
    near: float
    missing: float
    kept: float | None
    kept_near: float | None
    dropped: float | None


def calibration(
    errors: FloatArray, expected: FloatArray, radii: FloatArray, confidence: FloatArray
) -> Calibration:
    """Compare errors (m,) with what was predicted for them, (m,) each; m is at least 1.

    Errors, expected errors and radii are in units of sqrt(area).
    """
    missing = confidence < MIN_CONFIDENCE
    return Calibration(
        float(expected.mean()),
        float(errors.mean()),
        float(np.mean(errors <= radii)),
        _largest(errors, expected),
        float(confidence.mean()),
        float(np.mean(errors < NEAR)),
        float(missing.mean()),
        _mean(errors[~missing]),
        _mean(errors[~missing] < NEAR),
        _mean(errors[missing]),
    )


def _largest(errors: FloatArray, expected: FloatArray) -> float:
    """Mean error of the tenth with the largest expected errors over that of all; 1 if it is 0."""
    order = np.argsort(-expected, kind="stable")
    tenth = errors[order[: max(1, len(order) // 10)]]
    return float(tenth.mean() / errors.mean()) if errors.mean() > 0 else 1.0


def _mean(values: FloatArray | BoolArray) -> float | None:
    return float(values.mean()) if len(values) else None
