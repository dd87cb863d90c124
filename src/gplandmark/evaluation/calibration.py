# SPDX-License-Identifier: MIT
"""Whether expected errors, radii and confidence agree with the errors that were measured."""

from dataclasses import dataclass

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray
from gplandmark.matching.carrying import LEAST

__all__ = ["NEAR", "Calibration", "calibration"]

NEAR = 0.1  # error of a landmark up to which it is right, as confidence has it
TENTH = 10  # the landmarks with the largest expected errors: one of so many


@dataclass(frozen=True)
class Calibration:
    """Expected errors, radii and confidence of m landmarks beside their errors.

    Attributes
    ----------
    expected : mean expected error, in the unit of the errors
    error : mean error
    within_radius : share within the radius that should hold 90 %
    largest : mean error of the tenth with the largest expected error, over that of all
    confidence : mean confidence, which is a chance to lie within 0.1
    near : share that does lie within 0.1
    missing : share with a confidence below 0.5
    kept : mean error of the others; None if there are none
    kept_near : share of the others within 0.1; None if there are none
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
    """Compare errors (m,) with what was expected of them, (m,) each; m is 1 or more.

    Errors, expected errors and radii are in units of sqrt(area).
    """
    missing = confidence < LEAST
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
    """Mean error of the tenth that should have the largest, over that of all; 1 without errors."""
    order = np.argsort(-expected, kind="stable")
    tenth = errors[order[: max(1, len(order) // TENTH)]]
    average = errors.mean()
    return float(tenth.mean() / average) if average > 0 else 1.0


def _mean(values: FloatArray | BoolArray) -> float | None:
    return float(values.mean()) if len(values) else None
