# SPDX-License-Identifier: MIT
"""Errors as figures, in three units: of the file, of centroid size and of sqrt(area)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = [
    "FILE_UNITS",
    "PERCENT",
    "ROOT_AREA",
    "UNITS",
    "Accuracy",
    "accuracies",
    "accuracy",
    "centroid_sizes",
    "mean_known",
    "scales",
]

FILE_UNITS, PERCENT, ROOT_AREA = "file_units", "percent_of_centroid_size", "sqrt_area"
UNITS = {FILE_UNITS: "file units", PERCENT: "% of centroid size", ROOT_AREA: "sqrt(area)"}


@dataclass(frozen=True)
class Accuracy:
    """Errors of m landmarks in one unit.

    Attributes
    ----------
    landmarks : how many, m; one counts as often as it was carried
    mean, median, ninetieth, worst : of the errors; nine tenths lie below the ninetieth
    rmse : root of the mean squared error, sqrt(sum_l e_l^2 / m)
    """

    landmarks: int
    mean: float
    median: float
    ninetieth: float
    worst: float
    rmse: float


def accuracy(errors: FloatArray) -> Accuracy | None:
    """Figures of errors of any shape, NaN left out; None if nothing is left."""
    known = errors[~np.isnan(errors)]
    if not len(known):
        return None
    return Accuracy(
        len(known),
        float(known.mean()),
        float(np.median(known)),
        float(np.quantile(known, 0.9)),
        float(known.max()),
        float(np.sqrt(np.mean(known**2))),
    )


def accuracies(errors: FloatArray, units: Mapping[str, FloatArray]) -> dict[str, Accuracy]:
    """Figures of errors (..., s, k) on s specimens, in units of sqrt(area), by unit.

    `units` are `scales` of the specimens. Nothing is told where no error is known.
    """
    found = {unit: accuracy(errors * scale[:, None]) for unit, scale in units.items()}
    return {unit: each for unit, each in found.items() if each is not None}


def scales(sizes: FloatArray, centroids: FloatArray) -> dict[str, FloatArray]:
    """What 1 sqrt(area) of each specimen is in every unit, (s,) each.

    With sqrt(area) A and centroid size C in file units: A, 100 A / C and 1.
    """
    return {FILE_UNITS: sizes, PERCENT: 100 * sizes / centroids, ROOT_AREA: np.ones(len(sizes))}


def centroid_sizes(points: FloatArray) -> FloatArray:
    """Centroid size (s,) of landmarks (s, k, 3), the missing ones left out.

    C = sqrt(sum_l |x_l - c|^2), c the mean of the landmarks x_l.
    """
    centre = mean_known(points, axis=1)[:, None]
    return np.asarray(np.sqrt(np.nansum((points - centre) ** 2, axis=(1, 2))))


def mean_known(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Mean over an axis of what is not NaN; NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
