# SPDX-License-Identifier: MIT
"""Curves: landmarks that follow each other along a line of a specimen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Curve:
    """A curve through landmarks of a specimen.

    Attributes
    ----------
    name : of the curve
    members : numbers of its landmarks, from 0, in their order along the curve
    is_closed : whether the last is followed by the first
    """

    name: str
    members: tuple[int, ...]
    is_closed: bool = False


def resampled(points: FloatArray, count: int, *, is_closed: bool = False) -> FloatArray:
    """Return `count` points (count, d) at equal distances along a polyline through points (m, d).

    The ends of an open curve stay. A closed curve keeps its first point, and its last one is as
    far from the first as the others from each other. Distances are measured along the polyline.

    Raises
    ------
    LandmarkFileError
        The curve has no length, or fewer than 2 points (3 if it is closed) are given or wanted.
    """
    least = 3 if is_closed else 2
    if min(len(points), count) < least:
        raise LandmarkFileError(
            f"A curve needs at least {least} points, got {len(points)} and {count} wanted."
        )
    if np.isnan(points).any():
        raise LandmarkFileError("A curve with a missing point has no length. Complete it first.")
    path = np.vstack([points, points[:1]]) if is_closed else points
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    if along[-1] == 0:
        raise LandmarkFileError("All points of a curve are in one place.")
    wanted = np.linspace(0, along[-1], count + is_closed)[:count]
    return np.column_stack([np.interp(wanted, along, axis) for axis in path.T])


def closest_on_path(points: FloatArray, path: FloatArray) -> FloatArray:
    """Closest points (n, d) of a polyline (m, d) to points (n, d)."""
    starts, steps = path[:-1], np.diff(path, axis=0)
    squares = np.maximum(np.sum(steps**2, axis=1), np.finfo(float).tiny)
    along = np.einsum("nmd,md->nm", points[:, None] - starts, steps) / squares
    feet = starts + np.clip(along, 0.0, 1.0)[..., None] * steps
    nearest = np.linalg.norm(feet - points[:, None], axis=2).argmin(axis=1)
    return np.asarray(feet[np.arange(len(points)), nearest])


def shifted(curves: Sequence[Curve], places: Sequence[int]) -> tuple[Curve, ...]:
    """Return the curves of the landmarks at these places; one that loses a landmark is left out."""
    where = {old: new for new, old in enumerate(places)}
    return renumbered([each for each in curves if set(each.members) <= set(where)], where)


def renumbered(curves: Sequence[Curve], numbers: Mapping[int, int]) -> tuple[Curve, ...]:
    """Return the curves whose landmarks have new numbers, by the old ones."""
    return tuple(
        replace(each, members=tuple(numbers[member] for member in each.members)) for each in curves
    )
