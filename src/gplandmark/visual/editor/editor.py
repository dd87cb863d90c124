# SPDX-License-Identifier: MIT
"""The editor: a landmark set that a person changes."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import VarianceHistory
from gplandmark.gp.selection import Progress
from gplandmark.landmarks import Landmarks, MethodSettings, Settings, weight_per_vertex
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.editor import state as edits
from gplandmark.visual.editor.edit_record import edited_landmarks
from gplandmark.visual.editor.history import History
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.placement import Finder, continued
from gplandmark.visual.editor.state import Location, State, mask_from_bytes, mask_to_bytes
from gplandmark.visual.editor.variance_source import VarianceSource


class Editor:
    """Landmarks that are added, moved, deleted and named one by one, with their variance.

    Landmarks are addressed by their position, from 0. Every edit can be undone, without limit.
    An edit that is refused raises `SettingsError` and changes nothing. For one thread at a time.

    Parameters
    ----------
    surface : a mesh, or a bare cloud of points
    landmarks : those to begin with, placed or read from any file; they may be missing
    settings : how the covariance is made; by default the paper's method
    weight : (n,) a weight per vertex in place of the one in `settings`
    history : to continue in place of `landmarks`, as `recover` returns it

    Raises
    ------
    LandmarkFileError
        The landmarks belong to another surface.
    """

    def __init__(
        self,
        surface: Surface,
        landmarks: Landmarks | None = None,
        settings: MethodSettings | None = None,
        *,
        weight: FloatArray | None = None,
        history: History | None = None,
    ) -> None:
        settings, weight = settings or Settings(), weight_per_vertex(surface, weight)
        self.surface = surface
        self.finder = Finder(surface)
        self.history = history or History.starting(origin_of(self.finder, landmarks))
        self._variance = VarianceSource(surface, settings, weight)
        self._watchers: list[Callable[[History], None]] = []

    @property
    def state(self) -> State:
        """The present state; it never changes, but is replaced."""
        return self.history.state

    @property
    def points(self) -> FloatArray:
        """Coordinates (m, d) of the landmarks, NaN where one is missing."""
        return self.state.points(self.surface.points.shape[1])

    @property
    def painted(self) -> BoolArray:
        """Vertices of the surface (n,) where the algorithm places no landmark."""
        return mask_from_bytes(self.state.painted, self.surface.vertex_count)

    @property
    def selected(self) -> tuple[int, ...]:
        """Positions of the selected landmarks."""
        state = self.state
        return tuple(at for at, mark in enumerate(state.marks) if mark.identity in state.selected)

    def at(self, point: npt.ArrayLike, direction: npt.ArrayLike | None = None) -> Location:
        """The place nearest to a point; or the first that a ray from it in a direction meets."""
        if direction is None:
            return self.finder.nearest(point)
        place = self.finder.along(point, direction)
        if place is None:
            raise SettingsError(f"The ray does not meet {self.surface.name}.")
        return place

    def watch(self, watcher: Callable[[History], None]) -> None:
        """Call a function after every change, undo, redo and selection included."""
        self._watchers.append(watcher)

    def add(
        self,
        point: npt.ArrayLike,
        direction: npt.ArrayLike | None = None,
        *,
        label: str = "",
        kind: str = "",
    ) -> int:
        """A landmark where `at` finds its place; returns its position, the last.

        Without a label it gets the next number.
        """
        state = edits.added(self.state, self.at(point, direction), label, kind, "human")
        self.change(state, f"add {state.marks[-1].label}")
        return len(state.marks) - 1

    def move(
        self,
        index: int,
        point: npt.ArrayLike,
        direction: npt.ArrayLike | None = None,
        *,
        joined: bool = False,
    ) -> None:
        """Put a landmark where `at` finds its place; a missing one is then present.

        Joined moves of one landmark, e.g. while it is dragged, are undone together.
        """
        state = edits.moved(self.state, index, self.at(point, direction))
        self.change(state, f"move {self._names(index)}", joined)

    def delete(self, indices: int | Iterable[int]) -> None:
        """Remove one landmark or several."""
        self.change(edits.deleted(self.state, indices), f"delete {self._names(indices)}")

    def rename(self, index: int, label: str) -> None:
        """Give a landmark a name that no other has."""
        self.change(edits.renamed(self.state, index, label), f"rename {self._names(index)}")

    def reorder(self, index: int, to: int) -> None:
        """Move a landmark to another position; those between make room."""
        self.change(edits.reordered(self.state, index, to), f"reorder {self._names(index)}")

    def set_kind(self, indices: int | Iterable[int], kind: str) -> None:
        """Make landmarks "fixed", "semi" or "" (unspecified)."""
        self.change(edits.of_kind(self.state, indices, kind), f"mark {self._names(indices)}")

    def paint(self, point: npt.ArrayLike, radius: float, *, joined: bool = False) -> None:
        """Exclude the vertices within a radius of a point from placement by the algorithm.

        Joined strokes are undone together.
        """
        self._paint(point, radius, True, "paint", joined)

    def unpaint(self, point: npt.ArrayLike, radius: float, *, joined: bool = False) -> None:
        """Erase the mask within a radius of a point."""
        self._paint(point, radius, False, "erase", joined)

    def clear_paint(self) -> None:
        """Clear the mask."""
        self.change(replace(self.state, painted=b""), "clear mask")

    def select(self, indices: int | Iterable[int]) -> None:
        """Select some landmarks, and no others; not an edit, so undo skips it."""
        chosen = edits.selecting(self.state, indices)
        if chosen is not self.state:
            self.history.replace(chosen)
            self._notify()

    def select_where(self, chooses: Callable[[FloatArray], npt.ArrayLike]) -> None:
        """Select landmarks by a function of their points (k, d), which returns a boolean for each.

        Missing landmarks are left out.
        """
        self.select(edits.those_where(self.points, chooses))

    def place_more(self, count: int, progress: Progress | None = None) -> tuple[int, ...]:
        """Let the algorithm place more landmarks, given all present ones; see `continued`.

        Returns their positions; fewer than requested once the landmarks determine the surface.
        """
        before = state = self.state
        for vertex in continued(self._variance.process, state, count, progress):
            state = edits.added(state, self.finder.at(vertex), "", "", "algorithm")
        self.change(state, f"place {count} more")
        return tuple(range(len(before.marks), len(state.marks)))

    def undo(self) -> bool:
        """Undo the last edit; False if there is none."""
        return self._step(-1)

    def redo(self) -> bool:
        """Redo the last undone edit; False if there is none."""
        return self._step(1)

    def variance(self, count: int | None = None) -> FloatArray:
        """Variance at every vertex given the landmarks, or the first `count` of them, shape (n,).

        A landmark between vertices counts as if it were at the nearest corner of its triangle;
        a missing one does not count. See `VarianceMap` for surfaces above 250,000 vertices.
        """
        most = len(self.state.marks)
        if not 0 <= (most if count is None else count) <= most:
            raise SettingsError(f"Expected 0 to {most} landmarks, got {count}.")
        return self._variance.variance(self.state.vertices(), count)

    def curve(self) -> VarianceHistory:
        """Largest and mean variance given the first 0, 1, ... m landmarks."""
        allowed = self.surface.covered() & ~self.painted
        return self._variance.curve(self.state.vertices(), allowed)

    def prepare(self) -> None:
        """Compute what variances and the record need; another thread may edit meanwhile."""
        self._variance.prepare(self.state.vertices())

    def landmarks(self) -> Landmarks:
        """The landmarks, with the file's vertex numbers and a record of what a person changed."""
        return edited_landmarks(self._variance.process, self.history, self.curve(), self.variance())

    def _paint(
        self, point: npt.ArrayLike, radius: float, to: bool, edit: str, joined: bool
    ) -> None:
        mask = self.painted
        mask[self.finder.ball(point, radius)] = to
        self.change(replace(self.state, painted=mask_to_bytes(mask)), edit, joined)

    def _names(self, indices: int | Iterable[int]) -> str:
        chosen = edits.positions(self.state, indices)
        return ", ".join(self.state.marks[index].label for index in sorted(chosen))

    def change(self, state: State, edit: str, joined: bool = False) -> None:
        """Make a state the present one, after an edit in words."""
        if state != self.state:
            self.history.push(state, edit, joined=joined)
            self._notify()

    def _step(self, by: int) -> bool:
        if done := self.history.step(by):
            self._notify()
        return done

    def _notify(self) -> None:
        for watcher in self._watchers:
            watcher(self.history)
