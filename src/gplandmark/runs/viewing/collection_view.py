# SPDX-License-Identifier: MIT
"""Everything that the page asks of one collection: open specimens, their states, and saving."""

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, ScanError, SettingsError
from gplandmark.io.files import content_of
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.checked import set_checked
from gplandmark.runs.reports.viewer_links import with_viewer_links
from gplandmark.runs.viewing.collection import Collection, Specimen
from gplandmark.runs.viewing.open_specimen import OpenSpecimen
from gplandmark.runs.viewing.poses import common_pose
from gplandmark.runs.viewing.read_specimen import read_specimen
from gplandmark.runs.viewing.results_updater import ResultsUpdater
from gplandmark.runs.viewing.states import SpecimenState, States
from gplandmark.runs.viewing.thumbnail_cache import ThumbnailCache
from gplandmark.visual.viewer.displayed_specimen import MOST_VERTICES, display_mesh
from gplandmark.visual.viewer.framing import ScenePose, scene_pose
from gplandmark.visual.viewer.page_data import DrawnSpecimen

REPORT = "report.html"
KEPT = 8  # specimens that stay in memory after they were looked at


@dataclass(frozen=True, eq=False)
class ViewOptions:
    """How scans are read and drawn, and the method of their variance, if not the recorded one.

    With `force`, outputs are replaced without a question.
    """

    settings: MethodSettings | None = None
    weight: FloatArray | None = None
    rules: Rules = field(default_factory=Rules)
    most_vertices: int = MOST_VERTICES
    force: bool = False


class CollectionView:
    """A collection that is being looked through. Any thread may call any method."""

    def __init__(
        self,
        collection: Collection,
        options: ViewOptions | None = None,
        *,
        first: str = "",
        has_start_page: bool = False,
    ) -> None:
        self.collection = collection
        self._has_start_page = has_start_page
        self.options = options or ViewOptions()
        self.changes = 0  # grows with every change of a landmark or a state
        self._numbers = {each.key: at for at, each in enumerate(collection.specimens)}
        self._first = self.specimen(first).key if first else ""
        self._states = States(collection)
        self._seen: list[SpecimenState] = []
        self._open: OrderedDict[str, OpenSpecimen] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}
        self._lock = threading.RLock()
        self._reference_pose: tuple[ScenePose, Landmarks] | None = None
        self._updater = ResultsUpdater()
        self._thumbnails = ThumbnailCache(self.options.rules)

    def specimen(self, key: str) -> Specimen:
        """The specimen with a key.

        Raises
        ------
        SettingsError
            There is none.
        """
        if key not in self._numbers:
            raise SettingsError(f"There is no specimen {key} in {self.collection.folder}.")
        return self.collection.specimens[self._numbers[key]]

    def opened(self, key: str) -> OpenSpecimen:
        """The specimen with a key, read if it is not open yet.

        Raises
        ------
        GplandmarkError
            It cannot be read.
        """
        specimen = self.specimen(key)
        with self._lock:
            waiting = self._opening.setdefault(key, threading.Lock())
        with waiting:  # of two windows that ask for the same specimen, one reads it
            with self._lock:
                if found := self._open.get(key):
                    self._open.move_to_end(key)
                    return found
            found = self._read(specimen)
            found.changed = self.notify
            with self._lock:
                self._open[key] = found
                self._close_oldest()
        return found

    def states(self) -> list[SpecimenState]:
        """The states of all specimens, read from the folder now."""
        with self._lock:
            now = self._states.read({key for key, each in self._open.items() if each.is_ours})
            if now != self._seen:
                self._seen = now
                self.notify()
            return now

    def notify(self) -> None:
        """Let all windows know that something changed."""
        with self._lock:
            self.changes += 1

    def refresh(self) -> None:
        """Read what other programs may have changed."""
        self.states()
        with self._lock:
            opened = list(self._open.values())
        for each in opened:
            with suppress(GplandmarkError):
                each.refresh()

    def check(self, key: str, is_checked: bool) -> str:
        """Mark a specimen as checked, or not; returns what was done, in words."""
        set_checked(self.collection.folder, self.specimen(key).key, is_checked)
        self.states()
        return f"{key} is marked as checked." if is_checked else f"{key} is no longer checked."

    def save(self, key: str, output: Path, *, is_agreed: bool) -> tuple[str, str]:
        """Save a specimen; returns what was done, or a question that must be agreed to before."""
        opened = self.opened(key)
        why = opened.must_ask(output)
        is_meant = self.options.force and output == opened.specimen.output
        if why and not (is_agreed or is_meant):
            return "", why
        done = opened.save(output)
        self._updater.request(output)
        self.states()
        return done, ""

    def thumbnail(self, key: str) -> bytes:
        """A small picture of a specimen, a PNG; empty if it has none."""
        specimen = self.specimen(key)
        if specimen.thumbnail is not None:
            with suppress(OSError):
                return specimen.thumbnail.read_bytes()
        with self._lock:
            opened = self._open.get(key)
        return self._thumbnails.draw(specimen, opened)

    def listing(self) -> dict[str, Any]:
        """The collection as the page lists it, ready for JSON."""
        states = self.states()
        collection = self.collection
        return {
            "folder": str(collection.folder.absolute()),
            "command": collection.command,
            "reference": collection.reference,
            "first": self._first,
            "report": (collection.folder / REPORT).is_file() and not collection.is_single,
            "start": self._has_start_page,
            "single": collection.is_single,
            "beside": collection.specimens[-1].key if self._has_pair else "",
            "changes": self.changes,
            "problem": self._states.problem or self._updater.problem,
            "specimens": [
                _row(each, state) for each, state in zip(collection.specimens, states, strict=True)
            ],
        }

    def report(self) -> str:
        """The report of the folder, with links to its specimens.

        Raises
        ------
        LandmarkFileError
            There is none.
        """
        return with_viewer_links(content_of(self.collection.folder / REPORT))

    def close(self) -> None:
        """Release all specimens; unsaved edits stay in their autosaves."""
        with self._lock:
            for each in self._open.values():
                each.close()
            self._open.clear()
        self._updater.close()

    @property
    def _has_pair(self) -> bool:
        return self.collection.is_single and len(self.collection.specimens) > 1

    @property
    def unsaved(self) -> list[str]:
        """Keys of open specimens with unsaved edits."""
        with self._lock:
            return [key for key, each in self._open.items() if each.has_unsaved]

    def _read(self, specimen: Specimen) -> OpenSpecimen:
        options = self.options
        if specimen.failure and not specimen.scan.exists():
            raise ScanError(specimen.failure)
        surface, landmarks = read_specimen(specimen, options.rules)
        mesh = display_mesh(surface, options.most_vertices)
        drawn = DrawnSpecimen(surface, mesh, self._pose(specimen, surface, landmarks))
        is_weighted = specimen.scan == self.collection.specimens[0].scan
        weight = options.weight if is_weighted else None
        return OpenSpecimen(specimen, drawn, landmarks, options.settings, weight)

    def _pose(self, specimen: Specimen, surface: Surface, landmarks: Landmarks | None) -> ScenePose:
        reference = self.collection.reference
        if not self.collection.is_matched or specimen.key == reference:
            return scene_pose(surface)
        with self._lock:
            if self._reference_pose is None and reference in self._numbers:
                with suppress(GplandmarkError):
                    found, marks = read_specimen(self.specimen(reference), self.options.rules)
                    if marks is not None:
                        self._reference_pose = scene_pose(found), marks
            known = self._reference_pose
        return (
            scene_pose(surface)
            if known is None
            else common_pose(surface, landmarks, known[0].axes, known[1])
        )

    def _close_oldest(self) -> None:
        for key in list(self._open)[:-KEPT]:
            self._open.pop(key).close()


def _row(specimen: Specimen, state: SpecimenState) -> dict[str, Any]:
    known = specimen.uncertainty
    return {
        "key": specimen.key,
        "state": state.name,
        "unsaved": state.unsaved,
        "elsewhere": state.elsewhere,
        "failure": specimen.failure,
        "uncertainty": known if known == known else None,
    }
