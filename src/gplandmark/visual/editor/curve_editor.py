# SPDX-License-Identifier: MIT
"""Curves over a surface: drawn point by point, with the shortest paths that join their points."""

from itertools import pairwise

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks.curves import Curve, resampled
from gplandmark.mesh.geodesic_paths import GeodesicPaths, PathEnd
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor import curve_edits as edits
from gplandmark.visual.editor.editor import Editor
from gplandmark.visual.editor.state import Location, State

MOST = 1000  # points that a curve is divided into


class CurvePaths:
    """The shortest paths over a surface between consecutive points of curves.

    Points that are not connected, and those of a cloud, are joined by a straight line. Paths are
    computed once, and forgotten when their points have gone.
    """

    def __init__(self, surface: Surface) -> None:
        self._paths = GeodesicPaths(surface)
        self._known: dict[tuple[Location, Location], FloatArray] = {}

    def of(self, state: State) -> list[list[FloatArray]]:
        """For each curve the path (k, 3) from each point to the next; empty at a missing one."""
        found: dict[tuple[Location, Location], FloatArray] = {}
        segments = []
        for curve in state.curves:
            places = _places(state, curve)
            segments.append([self._segment(ends, found) for ends in pairwise(places)])
        self._known = found
        return segments

    def _segment(
        self,
        ends: tuple[Location | None, Location | None],
        found: dict[tuple[Location, Location], FloatArray],
    ) -> FloatArray:
        start, end = ends
        if start is None or end is None:
            return np.zeros((0, 3))
        between = self._known.get((start, end))
        if between is None:
            between = self._path(start, end)
        found[start, end] = between
        return between

    def _path(self, start: Location, end: Location) -> FloatArray:
        one, other = (
            PathEnd(np.array(each.point), each.vertex, each.triangle) for each in (start, end)
        )
        return self._paths.between(one, other)


def _places(state: State, curve: Curve) -> list[Location | None]:
    """Where the points of a curve are; of a closed one the first is repeated."""
    places = {mark.identity: mark.place for mark in state.marks}
    members = (*curve.members, curve.members[0]) if curve.is_closed else curve.members
    return [places[member] for member in members]


class CurveEditor:
    """Draws and edits the curves of an editor. Curves are addressed by their names.

    An edit that is refused raises `SettingsError` and changes nothing.
    """

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def extend(
        self, name: str, point: npt.ArrayLike, direction: npt.ArrayLike | None = None
    ) -> None:
        """Add a point to the end of a curve, or begin one: without a name, it gets one."""
        state, name = self._started(name)
        place = self._editor.at(point, direction)
        self._editor.change(edits.extended(state, name, place), f"draw {name}")

    def lead_through(self, name: str, index: int) -> None:
        """Lead a curve, or a new one, to a landmark; to its first one this closes it."""
        state, name = self._started(name)
        self._editor.change(edits.led_through(state, name, index), f"draw {name}")

    def insert(
        self,
        name: str,
        after: int,
        point: npt.ArrayLike,
        direction: npt.ArrayLike | None = None,
    ) -> None:
        """Put a point behind the member with an identity."""
        place = self._editor.at(point, direction)
        state = edits.inserted(self._editor.state, name, after, place)
        self._editor.change(state, f"add a point to {name}")

    def close(self, name: str, is_closed: bool) -> None:
        """Join the last point to the first, or not."""
        state = edits.closed(self._editor.state, name, is_closed)
        self._editor.change(state, f"{'close' if is_closed else 'open'} {name}")

    def rename(self, name: str, new: str) -> None:
        """Give a curve another name, and the points that are called after it."""
        self._editor.change(edits.renamed(self._editor.state, name, new), f"rename {name}")

    def remove(self, name: str) -> None:
        """Delete a curve; its points stay."""
        self._editor.change(edits.removed(self._editor.state, name), f"delete curve {name}")

    def space_evenly(self, name: str, count: int, paths: CurvePaths) -> None:
        """Replace the points between the ends by points at equal distances along the paths.

        Afterwards the curve has `count` points, its ends included.

        Raises
        ------
        SettingsError
            There are too few points, or one would be lost that is a landmark of its own.
        """
        state = self._editor.state
        curve = edits.curve_of(state, name)
        fewest = edits.FEWEST_CLOSED if curve.is_closed else 2
        if not fewest <= count <= MOST or len(curve.members) < fewest:
            raise SettingsError(f"The curve {name} needs {fewest} to {MOST:,} points.")
        segments = paths.of(state)[state.curves.index(curve)]
        if not all(len(each) for each in segments):
            raise SettingsError(f"A point of the curve {name} is missing. Place it first.")
        path = np.vstack([segments[0][:1], *(each[1:] for each in segments)])
        path = path[:-1] if curve.is_closed else path
        points = resampled(path, count, is_closed=curve.is_closed)
        inner = points[1:] if curve.is_closed else points[1:-1]
        places = [self._editor.finder.nearest(point) for point in inner]
        self._editor.change(edits.respaced(state, name, places), f"space {name} evenly")

    def _started(self, name: str) -> tuple[State, str]:
        state = self._editor.state
        if any(curve.name == name for curve in state.curves):
            return state, name
        begun = edits.started(state, name or edits.following_name(state))
        return begun, begun.curves[-1].name
