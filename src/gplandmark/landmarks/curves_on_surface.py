# SPDX-License-Identifier: MIT
"""Curves laid on a surface, with their points at equal distances."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from gplandmark.landmarks.curves import Curve, resampled
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX, Landmarks
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.geodesic_paths import GeodesicPaths, PathEnd
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

PARTS = 8  # into which a curve is divided between two landmarks, to follow the surface
OFF = 0.01  # of the length between two landmarks: a path farther off leaves the surface
SAME = 1e-9  # of the size of a triangle: nearer points are a corner
INCOMPLETE = "Curve {} lacks a point, so that its points are not at equal distances."


class SurfacePaths:
    """Lays paths on a surface.

    Between two points the path is their straight line, whose parts go to the closest points of the
    surface. Where it then leaves the surface, as from one side of a thin bone to the other, it is
    the shortest path over the surface.

    Attributes
    ----------
    closest : closest points of the surface
    """

    def __init__(self, surface: Surface) -> None:
        self.closest = ClosestPoints(surface)

    def laid(self, path: FloatArray) -> FloatArray:
        """Polyline (m, 3) through the points of a path (n, 3), on the surface between them."""
        parts = np.arange(PARTS + 1)[:, None] / PARTS
        between = path[:-1, None] + parts * np.diff(path, axis=0)[:, None]
        laid = self.closest.to(between.reshape(-1, 3))[2].reshape(between.shape)
        lengths = np.linalg.norm(np.diff(laid, axis=1), axis=2).sum(axis=1)
        middles = (laid[:, 1:] + laid[:, :-1]) / 2
        squares = self.closest.to(middles.reshape(-1, 3))[0].reshape(middles.shape[:2])
        leaves = squares.max(axis=1) > (OFF * lengths) ** 2
        pieces = [self._shortest(own) if off else own
                  for own, off in zip(laid, leaves, strict=True)]  # fmt: skip
        inner = [np.vstack([start, own[1:-1]]) for start, own in zip(path, pieces, strict=False)]
        return np.vstack([*inner, path[-1:]])

    def _shortest(self, piece: FloatArray) -> FloatArray:
        """Shortest path between the ends of a piece; the piece if they are not connected."""
        found = self._geodesics.between(*self._ends(piece[[0, -1]]))
        return found if len(found) > 2 else piece

    def _ends(self, points: FloatArray) -> list[PathEnd]:
        _, triangles, _ = self.closest.to(points)
        ends = []
        for point, triangle in zip(points, triangles, strict=True):
            corners = self.closest.triangles[triangle]
            apart = np.linalg.norm(self.closest.points[corners] - point, axis=1)
            is_corner = apart.min() <= SAME * apart.max()
            ends.append(PathEnd(point, int(corners[apart.argmin()]), -1 if is_corner else triangle))
        return ends

    @cached_property
    def _geodesics(self) -> GeodesicPaths:
        return GeodesicPaths(Surface(self.closest.points, self.closest.triangles))


def equidistant_curves(surface: Surface, landmarks: Landmarks) -> Landmarks:
    """Return the landmarks with points of curves on the surface, at equal distances along it.

    The ends of curves stay, as do landmarks of type fixed and those where curves meet. Points
    between two of these become equidistant. Where one of them is missing nothing moves, and the
    record says so.
    """
    if not landmarks.curves:
        return landmarks
    paths = SurfacePaths(surface)
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
            path = paths.laid(landmarks.points[piece])
            if np.ptp(path, axis=0).max() > 0:
                points[inner] = paths.closest.to(resampled(path, len(piece))[1:-1])[2]
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
