# SPDX-License-Identifier: MIT
"""Specimens whose size or shape is unlike the rest: another unit, a slip, a code for missing."""

import numpy as np

from gplandmark.morphometrics.analysis.procrustes import Aligned
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.robust import FAR, log_deviations

FEWEST = 5  # specimens that define what is typical
FEWEST_SIZES = 3  # specimens that show that one is in other units
TWICE, OTHER_UNIT = 2.0, 5.0  # times larger or smaller that count; the second among few specimens
SIZE, DISTANCE = 0.1, 0.15  # deviations of logarithms that mean nothing
DOMINANT = 0.5  # of the squared distance from the consensus, at one landmark


def outliers(aligned: Aligned, distances: FloatArray) -> dict[str, str]:
    """Return what is unlike the rest in each specimen that is, by its name.

    More than `FAR` robust deviations from the median are: the centroid size, if that is also twice
    or half the median; the distance to the most similar specimen; the distance to the consensus, if
    one landmark has more than half of it (squared).

    Parameters
    ----------
    distances : (s, s) Procrustes distances
    """
    reasons: dict[str, list[str]] = {}
    for number, times in _sizes(aligned.centroid_sizes):
        reasons.setdefault(aligned.names[number], []).append(
            f"centroid size {aligned.centroid_sizes[number]:.4g}, {times} the median; "
            "is it in another unit?"
        )
    if len(aligned.names) >= FEWEST:
        nearest = (distances + np.diag([np.inf] * len(distances))).min(axis=1)
        for number in np.flatnonzero(log_deviations(nearest, DISTANCE) > FAR).tolist():
            reasons.setdefault(aligned.names[number], []).append(
                f"even the most similar specimen is {nearest[number]:.4g} away, and the median "
                f"is {np.median(nearest):.4g}"
            )
        for number, landmark in _single_landmarks(aligned):
            reasons.setdefault(aligned.names[number], []).append(
                f"landmark {aligned.labels[landmark]} lies elsewhere"
            )
    return {name: "; ".join(reasons[name]) for name in aligned.names if name in reasons}


def same_points(aligned: Aligned) -> list[str]:
    """Specimens whose landmarks are the same numbers, as "a and b"."""
    names: dict[bytes, list[str]] = {}
    for name, points in zip(aligned.names, aligned.points, strict=True):
        names.setdefault((points + 0.0).tobytes(), []).append(name)
    return [" and ".join(each) for each in names.values() if len(each) > 1]


def _sizes(sizes: FloatArray) -> list[tuple[int, str]]:
    """Specimens that are far too large or small, and how many times."""
    if len(sizes) < FEWEST_SIZES:
        return []
    ratios = sizes / np.median(sizes)
    least = np.log(OTHER_UNIT if len(sizes) < FEWEST else TWICE)
    far = (np.abs(log_deviations(sizes, SIZE)) > FAR) & (np.abs(np.log(ratios)) > least)
    return [
        (int(number), f"{ratio:.4g} times" if ratio > 1 else f"1/{1 / ratio:.4g} of")
        for number, ratio in zip(np.flatnonzero(far), ratios[far], strict=True)
    ]


def _single_landmarks(aligned: Aligned) -> list[tuple[int, int]]:
    """Specimens that are far from the consensus by one landmark, and which it is."""
    squares = np.sum((aligned.shapes - aligned.consensus) ** 2, axis=2)
    far = log_deviations(np.sqrt(squares.sum(axis=1)), DISTANCE) > FAR
    far &= squares.max(axis=1) > DOMINANT * squares.sum(axis=1)
    return [(int(number), int(squares[number].argmax())) for number in np.flatnonzero(far)]
