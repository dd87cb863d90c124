# SPDX-License-Identifier: MIT
"""A specimen that people look at and correct, in any number of windows."""

import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from threadpoolctl import ThreadpoolController

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_digest
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.overwrite import check_not_input
from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.run_folder import make_folder
from gplandmark.runs.viewing.collection import Specimen
from gplandmark.runs.viewing.delayed_call import DelayedCall
from gplandmark.runs.viewing.saving import PaintedScan, is_only_paint, save_specimen
from gplandmark.visual.editor import (
    Autosave,
    CurvePaths,
    Editor,
    autosave_path,
    check_output,
    recover,
    why_ask,
)
from gplandmark.visual.editor.history import History
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.output_file import is_locked
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer.page_data import DrawnSpecimen

VERSIONS = count(time.time_ns() // 1000)  # larger than those of any viewer that ended before
BETWEEN = 0.3  # seconds after an edit until the variances are computed
CHANGED = "{} was changed by another program. It is shown as it is now; do the edit again."


class OpenSpecimen:
    """The landmarks of one specimen while they are looked at and edited.

    Nothing is written, and nobody else is kept from editing, before the first edit. From then on
    the output is locked, and every edit is autosaved, until all is saved or the specimen closed.
    Any thread may call any method: the lock admits one at a time.

    Parameters
    ----------
    specimen : what it is called and where its files are
    drawn : its surface, as the page draws it
    landmarks : those of its file, if there are any
    settings : of the method; by default those that made the landmarks
    """

    def __init__(
        self,
        specimen: Specimen,
        drawn: DrawnSpecimen,
        landmarks: Landmarks | None,
        settings: MethodSettings | None = None,
        weight: FloatArray | None = None,
    ) -> None:
        self.specimen, self.drawn, self.surface = specimen, drawn, drawn.surface
        self.method = Method.of(landmarks, settings, weight)
        self.lock = threading.RLock()
        self.version = next(VERSIONS)  # a page knows by it which of two answers is older
        self.recovered, self._blocked = "", ""
        self.saved_to: Path | None = None
        self.changed: Callable[[], None] = lambda: None
        self._autosave: Autosave | None = None
        self._one_thread = ThreadpoolController()
        self.inside: tuple[frozenset[int], int] = frozenset(), 0  # see `specimen_content`
        self.curve_paths = CurvePaths(self.surface)
        self._paint = PaintedScan(specimen.scan, self.surface)
        self._digest = self._digest_now()
        history = self._recovered()
        self.editor = Editor(
            self.surface,
            None if history else landmarks,
            self.method.settings,
            weight=self.method.weight,
            history=history,
        )
        if history is None:
            self.editor.history = self._paint.started(self.editor.history.origin)
        # What the record needs is computed while a person looks, so that saving is quick.
        self._preparation = DelayedCall(self.editor.prepare, BETWEEN)

    @property
    def output(self) -> Path:
        """Where Save writes landmarks."""
        return self.saved_to or self.specimen.output

    @property
    def is_ours(self) -> bool:
        """Whether it is edited here, so that others cannot."""
        return self._autosave is not None

    @property
    def has_unsaved(self) -> bool:
        """Whether there are unsaved edits."""
        return not self.editor.history.is_saved

    def edit(self, work: Callable[[Editor], object]) -> str:
        """Let a function edit, and autosave; returns what was done, in words.

        Raises
        ------
        GplandmarkError
            The edit is not possible, or somebody else edits this specimen.
        """
        with self.lock, self._one_thread.limit(limits=1):
            self._begin()
            history = self.editor.history
            before, present = self.editor.state, history.present
            work(self.editor)
            self._keep()
            if self.editor.state == before and history.present == present:
                return "Nothing changed."
            self._announce()
            return f"Done: {history.entries[history.present].edit}."

    def undo(self, by: int) -> str:
        """Undo (-1) or redo (1) an edit; returns what was done, in words."""
        with self.lock:
            history = self.editor.history
            at = history.present + (by > 0)
            edit = history.entries[at].edit if 0 < at < len(history.entries) else ""
            if not edit:
                return "Nothing to undo." if by < 0 else "Nothing to redo."
            self._begin()
            _ = self.editor.undo() if by < 0 else self.editor.redo()
            self._keep()
            self._announce()
            return f"{'Undone' if by < 0 else 'Redone'}: {edit}."

    def must_ask(self, output: Path) -> str:
        """Why a person must agree before a file is written; empty if there is no reason.

        Raises
        ------
        LandmarkFileError
            It cannot be written at all.
        """
        if is_only_paint(self.editor):
            return ""
        check_not_input(output, [self.specimen.scan])
        check_output(output, self.surface, force=True)
        return why_ask(output, self.surface)

    def save(self, output: Path) -> str:
        """Write what changed; ask `must_ask` before. Returns what was done, in words."""
        with self.lock, self._one_thread.limit(limits=1):
            self._begin()
            written = self.saved_to if is_only_paint(self.editor) else output
            done = save_specimen(self.editor, self._paint, output)
            self.saved_to = written
            self._release(remove=True)
            self.recovered, self._digest = "", self._digest_now()
            self._announce()
        return done

    def discard(self) -> str:
        """Discard all unsaved edits, and start again from the file."""
        with self.lock:
            self._begin()
            self._release(remove=True)
            self._reload()
        return "The unsaved edits were discarded."

    def start_with(self, landmarks: Landmarks) -> None:
        """Show landmarks that were placed after the specimen was opened, unless there are some."""
        with self.lock:
            if not self.editor.state.marks and not self.has_unsaved:
                origin = origin_of(self.editor.finder, landmarks)
                self.editor.history = self._paint.started(origin)
                self._announce()

    def close(self) -> None:
        """Let others edit; unsaved edits stay in the autosave."""
        with self.lock:
            self._release(remove=False)

    def refresh(self) -> None:
        """Show the file as it is now, unless it is being edited here."""
        with self.lock:
            if self.is_ours or self.has_unsaved or self._digest == self._digest_now():
                return
            self._reload()

    def _begin(self) -> None:
        """Lock the output; refuse if somebody else edits it, or changed the file meanwhile."""
        if self._autosave is not None:
            return
        if self._blocked:
            raise LandmarkFileError(self._blocked)
        make_folder(self.output.parent)
        check_output(self.output, self.surface, force=True)
        autosave = Autosave(self.output, self.surface)
        if self._digest != self._digest_now() and not self.has_unsaved:
            autosave.close()
            self._reload()
            raise LandmarkFileError(CHANGED.format(self.output))
        self._autosave = autosave

    def _keep(self) -> None:
        if self._autosave is None:
            return
        if self.editor.history.is_saved:
            self._autosave.remove()
            return
        self._preparation.request()
        self._autosave.write(self.editor.history)
        if self._autosave.problem:
            raise LandmarkFileError(f"This edit was not autosaved. {self._autosave.problem}")

    def _release(self, *, remove: bool) -> None:
        self._preparation.cancel()
        if self._autosave is not None:
            if remove:
                self._autosave.remove()
            self._autosave.close()
            self._autosave = None

    def _announce(self) -> None:
        self.version = next(VERSIONS)
        self.changed()

    def _reload(self) -> None:
        path = self.saved_to or self.specimen.landmarks
        landmarks = read_landmarks(path) if path and path.exists() else None
        self.recovered, self._digest = "", self._digest_now()
        self.editor.history = self._paint.started(origin_of(self.editor.finder, landmarks))
        self._announce()

    def _recovered(self) -> History | None:
        if not autosave_path(self.output).exists() or is_locked(self.output):
            return None
        found = recover(self.output, self.surface)
        if found.history is None:
            self._blocked = found.sentence  # the next autosave would replace it
        self.recovered = found.sentence
        return found.history

    def _digest_now(self) -> tuple[str | None, str | None]:
        path = self.saved_to or self.specimen.landmarks
        return None if path is None else content_digest(path), self._paint.digest()
