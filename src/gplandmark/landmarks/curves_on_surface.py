# SPDX-License-Identifier: MIT
"""Curves laid on a surface, with their points at equal distances."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from gplandmark.landmarks.curves import Curve, resampled
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX, Landmarks
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

PARTS = 8  # into which a curve is divided between two landmarks, to follow the surface
INCOMPLETE = "Curve {} lacks a point, so that its points are not at equal distances."


def laid_path(closest: ClosestPoints, path: FloatArray) -> FloatArray:
    """Polyline (m, 3) through the points of a path (n, 3), on the surface between them."""
    parts = np.arange(PARTS)[:, None] / PARTS
    between = path[:-1, None] + parts * np.diff(path, axis=0)[:, None]
    laid = closest.to(between.reshape(-1, 3))[2].reshape(between.shape)
    laid[:, 0] = path[:-1]
    return np.vstack([laid.reshape(-1, 3), path[-1:]])


def equidistant_curves(surface: Surface, landmarks: Landmarks) -> Landmarks:
    """Return the landmarks with points of curves on the surface, at equal distances along it.

    The ends of curves stay, as do landmarks of type fixed and those where curves meet. Points
    between two of these become equidistant. Where one of them is missing nothing moves, and the
    record says so.
    """
    if not landmarks.curves:
        return landmarks
    closest = ClosestPoints(surface)
    points, vertices = landmarks.points.copy(), landmarks.vertices.copy()
    notes = []
    for curve in landmarks.curves:
        for piece in _pieces(curve, landmarks):
            inner = piece[1:-1]
            if not inner:
                continue
            if landmarks.missing[piece].any():
                notes.append(INCOMPLETE.format(curve.name))
                continue
            path = laid_path(closest, landmarks.points[piece])
            if np.ptp(path, axis=0).max() > 0:
                points[inner] = closest.to(resampled(path, len(piece))[1:-1])[2]
                vertices[inner] = UNKNOWN_VERTEX
    record = landmarks.record
    return replace(
        landmarks, points=points, vertices=vertices, uncertainty=None, state=None, places=(),
        record=replace(record, warnings=tuple(dict.fromkeys((*record.warnings, *notes)))),
    )  # fmt: skip


def _pieces(curve: Curve, landmarks: Landmarks) -> Iterator[list[int]]:
    """Numbers of the landmarks from each one that stays to the next."""
    stays = _staying(landmarks.curves, landmarks.kinds)
    members = list(curve.members)
    if curve.is_closed:
        members.append(members[0])
    stops = [at for at, each in enumerate(members) if each in stays or at in (0, len(members) - 1)]
    for start, end in pairwise(stops):
        yield members[start : end + 1]


def _staying(curves: Sequence[Curve], kinds: Sequence[str]) -> set[int]:
    """Landmarks that are fixed or on several curves."""
    fixed = {at for at, kind in enumerate(kinds) if kind == "fixed"}
    every = [member for curve in curves for member in set(curve.members)]
    ends = {end for curve in curves for end in (curve.members[0], curve.members[-1])
            if not curve.is_closed}  # fmt: skip
    return fixed | ends | {member for member in every if every.count(member) > 1}
