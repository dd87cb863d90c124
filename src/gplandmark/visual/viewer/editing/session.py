# SPDX-License-Identifier: MIT
"""An editing session in a browser: the editor, the view of its landmarks, and the autosave."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from gplandmark.errors import GplandmarkError, LandmarkFileError
from gplandmark.io.overwrite import check_not_input
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor import Autosave, Editor, State, check_output, save, why_ask
from gplandmark.visual.editor.history import History
from gplandmark.visual.viewer.displayed_specimen import Steps
from gplandmark.visual.viewer.view import View

BRUSH = 0.08  # radius to begin with, of half the size of the specimen


class Session:
    """One person's work on one specimen, in any number of browser tabs.

    Every method may be called by any thread: the lock of the view admits one at a time. Nothing
    else may call the editor.

    Parameters
    ----------
    view : shows the one specimen
    editor : its landmarks
    autosave : keeps every edit until it is saved
    scan : the file of the specimen, which is never written to
    recovered : message about an autosave that was found; empty if none
    afresh : makes the history to continue with if recovered edits are discarded
    """

    def __init__(
        self,
        view: View,
        editor: Editor,
        autosave: Autosave,
        scan: Path | None = None,
        recovered: str = "",
        afresh: Callable[[], History] | None = None,
    ) -> None:
        self.view, self.editor, self.autosave = view, editor, autosave
        self.scan, self.recovered = scan, recovered
        self.tool = "Look"
        self.brush, self.is_erasing = BRUSH, False
        self.status, self.is_refused = "", False
        self.changed: Callable[[], None] = lambda: None
        self.saved: Callable[[Path], None] = lambda _: None  # called after landmarks are written
        self._afresh = afresh
        self._one_thread = ThreadpoolController()
        self._drawn = view.specimens[0].mesh.vertices
        self._initial = float(editor.variance(0)[editor.surface.covered()].max())
        self._curve = np.ones(1)
        with self.view.lock:
            self._draw(None, is_new=True)

    @property
    def brush_radius(self) -> float:
        """Radius of the brush in units of the file."""
        return self.brush * self.view.poses[0].size

    @property
    def has_unsaved(self) -> bool:
        """Whether there are unsaved edits."""
        return not self.editor.history.is_saved

    def edit(self, work: Callable[[Editor], object], done: str = "") -> None:
        """Let a function edit, show the result and autosave it; report what it refuses.

        Matrix products of this size are much faster on one core than on several busy ones.
        """
        with self.view.lock, self._one_thread.limit(limits=1):
            history = self.editor.history
            before, present = self.editor.state, history.present
            try:
                work(self.editor)
            except GplandmarkError as error:
                self.report(str(error), is_refused=True)
                return
            is_new = _content(before) != _content(self.editor.state)
            if is_new or history.present != present:
                self.report(done or f"Done: {history.entries[history.present].edit}.")
            elif done:
                self.report(done)
            self._draw(before, is_new=is_new)
            if is_new:
                self._autosave()

    def select(self, *positions: int) -> None:
        """Select some landmarks, and no others."""
        self.edit(lambda editor: editor.select(positions))

    def undo(self) -> None:
        """Undo the last edit."""
        edit = self._next_edit(0)
        self.edit(lambda editor: editor.undo(), f"Undone: {edit}." if edit else "Nothing to undo.")

    def redo(self) -> None:
        """Redo what was undone."""
        edit = self._next_edit(1)
        self.edit(lambda editor: editor.redo(), f"Redone: {edit}." if edit else "Nothing to redo.")

    def place_more(self, count: int) -> None:
        """Let the algorithm place more landmarks."""
        self.report(f"Placing {count} more landmarks ...")
        self.edit(lambda editor: editor.place_more(count))

    def must_ask(self, output: str) -> str:
        """Why a person must agree before this file is written; empty if there is no reason.

        Raises
        ------
        LandmarkFileError
            It cannot be written at all.
        """
        if not output:
            raise LandmarkFileError("Give a file name.")
        path = Path(output)
        check_not_input(path, [] if self.scan is None else [self.scan])
        check_output(path, self.editor.surface, force=True)
        return why_ask(path, self.editor.surface)

    def save(self, output: str) -> None:
        """Write the landmarks; ask `must_ask` before."""

        def write(editor: Editor) -> None:
            save(editor, output, force=True)
            self.saved(Path(output))
            self.autosave.remove()
            self.recovered = ""

        count = len(self.editor.state.marks)
        self.edit(write, f"Saved {count} landmarks to {output}.")

    def discard(self) -> None:
        """Discard recovered edits, and start again."""
        if self._afresh is None:
            return
        with self.view.lock:
            before, self.editor.history = self.editor.state, self._afresh()
            self.autosave.remove()
            self.recovered = ""
            self.report("The recovered edits were discarded.")
            self._draw(before, is_new=True)

    def choose_tool(self, tool: str) -> None:
        """Make a tool the active one."""
        with self.view.lock:
            self.tool = tool
            self.changed()

    def report(self, status: str, *, is_refused: bool = False) -> None:
        """Show what happened."""
        with self.view.lock:
            self.status, self.is_refused = status, is_refused
            self.changed()

    def _next_edit(self, ahead: int) -> str:
        """What undo (0) or redo (1) would do."""
        with self.view.lock:
            history = self.editor.history
            at = history.present + ahead
            return history.entries[at].edit if 0 < at < len(history.entries) else ""

    def _draw(self, before: State | None, *, is_new: bool) -> None:
        """Show what is different now; nothing else is sent to the browsers."""
        state = self.editor.state
        if is_new:
            count = len(state.marks)
            step = self.view.panel.wanted().step
            grew = before is None or count > len(before.marks)
            at_end = before is not None and step >= len(before.marks)
            self._curve = self.editor.curve().largest / self._initial
            self.view.show_steps(0, self._steps(), count if grew or at_end else step)
        elif before is not None and before.selected != state.selected:
            self.view.show_selection(0, self._steps())
        self.changed()

    def _autosave(self) -> None:
        """Autosave, after the result has been shown; report a failure."""
        if self.editor.history.is_saved:
            self.autosave.remove()
            return
        self.autosave.write(self.editor.history)
        if self.autosave.problem:
            self.report(f"This edit was not autosaved. {self.autosave.problem}", is_refused=True)

    def _steps(self) -> Steps:
        """All steps as they are now."""
        editor = self.editor
        labels = tuple(mark.label for mark in editor.state.marks)
        painted = editor.painted[self._drawn] if editor.state.painted else None
        return Steps(
            editor.points, labels, self._curve, self._variance,
            selected=editor.selected, excluded=painted,
        )  # fmt: skip

    def _variance(self, count: int) -> FloatArray:
        """As fractions of the largest initial variance, at the vertices drawn."""
        count = min(count, len(self.editor.state.marks))
        with self._one_thread.limit(limits=1):  # see `edit`
            left = self.editor.variance(count)[self._drawn] / self._initial
        return np.asarray(np.clip(left, 0, 1))


def _content(state: State) -> tuple[object, object]:
    """What can be saved of a state."""
    return state.marks, state.painted
