# SPDX-License-Identifier: MIT
"""Landmarks that a specimen lacks: where the others say they would be."""

from gplandmark.analysis.configurations import Configurations
from gplandmark.analysis.rotations import carried
from gplandmark.analysis.splines import warped
from gplandmark.arrays import FloatArray
from gplandmark.errors import AnalysisError

__all__ = ["first_consensus", "with_estimates"]

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
