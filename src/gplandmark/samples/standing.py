# SPDX-License-Identifier: MIT
"""Where a specimen stands in its sample."""

from typing import Any

import numpy as np

from gplandmark.matching import SampleMatch

__all__ = ["standing"]


def standing(sample: SampleMatch, number: int) -> dict[str, Any]:
    """Agreement on its pose, distance from the reference, and the specimen most like it."""
    facts: dict[str, Any] = {
        "agreement": float(sample.agreement[number]),
        "reference_distance": float(sample.distances[number, sample.reference]),
    }
    if len(sample) > 1:
        others = sample.distances[number].copy()
        others[number] = np.inf
        nearest = int(others.argmin())
        facts |= {
            "nearest": sample.specimens[nearest].name,
            "nearest_distance": float(others[nearest]),
        }
    return facts
