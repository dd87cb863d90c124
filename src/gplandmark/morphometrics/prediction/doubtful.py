# SPDX-License-Identifier: MIT
"""Experts' landmarks that disagree with all other experts: exchanged, or misplaced."""

from collections.abc import Sequence

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray

TOO_FAR = 3.0  # in units of the 90 % radius
FEWEST = 3  # experts: of two that disagree, nobody knows which one is right


def doubtful_landmarks(truth: FloatArray, predicted: FloatArray, radii: FloatArray) -> BoolArray:
    """Which landmarks (e, m) lie more than three 90 % radii from where all others put them.

    Parameters
    ----------
    truth, predicted : (e, m, 3) the experts' landmarks, and where the others put them
    radii : (e, m) within which they should lie with a probability of 90 %
    """
    apart = np.linalg.norm(truth - predicted, axis=2)
    counts = (~np.isnan(truth).any(axis=2)).sum(axis=0)
    return np.asarray((apart > TOO_FAR * radii) & (counts >= FEWEST))


def describe_doubtful(
    name: str,
    labels: Sequence[str],
    truth: FloatArray,
    predicted: FloatArray,
    doubtful: BoolArray,
) -> list[str]:
    """Sentences about the doubtful landmarks of one specimen.

    Two are exchanged if each lies nearer to where the other is expected.
    """
    notes, left = [], np.flatnonzero(doubtful).tolist()
    apart = np.linalg.norm(truth[:, None] - predicted[None], axis=2)
    while left:
        first = left.pop(0)
        partner = next((each for each in left if _are_exchanged(apart, first, each)), None)
        if partner is None:
            notes.append(
                f"{name}: landmark {labels[first]} lies {apart[first, first]:.3g} from where the "
                "other experts' specimens put it. It is not used for others; check it."
            )
            continue
        left.remove(partner)
        notes.append(
            f"{name}: landmarks {labels[first]} and {labels[partner]} seem to be exchanged. They "
            "are not used for others; check them."
        )
    return notes


def _are_exchanged(apart: FloatArray, one: int, two: int) -> bool:
    return bool(apart[one, two] < apart[one, one] / 2 and apart[two, one] < apart[two, two] / 2)
