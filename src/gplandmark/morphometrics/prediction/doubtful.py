# SPDX-License-Identifier: MIT
"""Experts' landmarks that disagree with all others: exchanged, misplaced, of another specimen."""

from collections.abc import Sequence

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.robust import FAR, log_deviations

TOO_FAR = 3.0  # in units of the 90 % radius
FEWEST = 3  # experts: of two that disagree, nobody knows which one is right
SPREAD = 0.25  # deviation of the logarithm of mean errors that any experts may have
ENOUGH = 4  # experts that show their own spread
OF_THREE = 3.0  # times the larger error of the other two: far, of three experts


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


def far_specimens(errors: FloatArray) -> BoolArray:
    """Which of e specimens, from their mean errors (e,), are far from where all others put them.

    NaN is no error. Of three specimens, one is far if its error is more than three times those of
    both others; of more, if its logarithm is an outlier.
    """
    known, far = ~np.isnan(errors), np.zeros(len(errors), dtype=np.bool_)
    values = errors[known]
    if len(values) >= ENOUGH:
        far[known] = log_deviations(values, SPREAD) > FAR
    elif len(values) == FEWEST:
        far[known] = values > OF_THREE * np.sort(values)[-2]
    return far


def describe_far(names: Sequence[str], errors: FloatArray, sizes: FloatArray) -> list[str]:
    """Sentences about specimens whose landmarks are far from where the others put them.

    Parameters
    ----------
    names : of e specimens
    errors : (e,) mean errors in the units of their files; NaN where unknown
    sizes : (e,) of the specimens, likewise: units may differ
    """
    relative = errors / sizes
    far = far_specimens(relative)
    others = float(np.nanmax(relative[~far], initial=0.0))
    return [
        f"{names[row]}: its landmarks are {errors[row]:.3g} file units from where the others put "
        f"them, the others {others * sizes[row]:.3g} at most. Check that the file belongs to this "
        "specimen."
        for row in np.flatnonzero(far).tolist()
    ]
