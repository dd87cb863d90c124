# SPDX-License-Identifier: MIT
"""Landmarks that a specimen lacks: where the others say they would be."""

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.analysis.configurations import Configurations
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import carried

__all__ = ["first_consensus", "warped", "with_estimates"]

SHARED = 3  # landmarks by which one specimen is laid upon another


def first_consensus(given: Configurations, *, reflect: bool) -> FloatArray:
    """All k landmarks (k, 3), on which a superimposition can start.

    Those of the most complete specimen, the first of equals; what it lacks comes from the one that
    shares most landmarks with it, laid upon it by the best similarity, and so on.

    Raises
    ------
    AnalysisError
        Specimens share fewer than 3 landmarks, so that they cannot be laid upon each other.
    """
    known = ~given.missing
    start = int(known.sum(axis=1).argmax())
    consensus: FloatArray = given.points[start].copy()
    filled = known[start].copy()
    left = [number for number in range(len(known)) if number != start]
    while not filled.all():
        gains = [number for number in left if (known[number] & ~filled).any()]
        best = max(gains, key=lambda number: int((known[number] & filled).sum()))
        shared, new = known[best] & filled, known[best] & ~filled
        if shared.sum() < SHARED:
            raise AnalysisError(
                f"{given.names[best]} shares {shared.sum()} landmarks with the others, and at "
                f"least {SHARED} are needed. Leave the specimen out."
            )
        points = given.points[best]
        consensus[new] = carried(points[new], points[shared], consensus[shared], reflect=reflect)
        filled |= new
        left.remove(best)
    return consensus


def with_estimates(given: Configurations, consensus: FloatArray, *, reflect: bool) -> FloatArray:
    """Points (s, k, 3) of all specimens, with estimates for the missing ones.

    The thin-plate spline from the consensus to the landmarks that a specimen has carries the
    consensus's other landmarks to it, as `estimate.missing(method = "TPS")` of geomorph does.
    """
    points = given.points.copy()
    for shape, missing in zip(points, given.missing, strict=True):
        if missing.any():
            known = ~missing
            shape[missing] = warped(
                consensus[missing], consensus[known], shape[known], reflect=reflect
            )
    return points


FLAT = 0.01  # thickness over length of the sources: thinner, and the bending across is a guess


def warped(
    points: FloatArray, sources: FloatArray, targets: FloatArray, *, reflect: bool = False
) -> FloatArray:
    """Points (n, 3) under the thin-plate spline from sources (k, 3) to targets (k, 3).

    In space the spline of least bending energy is f(x) = a + A x + sum_i w_i |x - x_i|, with
    f(x_i) = y_i and sum_i w_i = 0, sum_i w_i x_i = 0 (Bookstein 1989). Sources in a plane do not
    tell A across it: where there are fewer than four, or where they are flatter than 1 % of
    their length, the best similarity is taken instead.
    """
    from scipy.interpolate import RBFInterpolator

    middle = sources.mean(axis=0)
    size = float(np.linalg.norm(sources - middle))
    spreads = np.linalg.svd(sources - middle, compute_uv=False)
    if len(sources) < 4 or spreads[2] < FLAT * spreads[0]:
        return carried(points, sources, targets, reflect=reflect)
    spline = RBFInterpolator((sources - middle) / size, targets, kernel="linear", degree=1)
    return np.asarray(spline((points - middle) / size))
