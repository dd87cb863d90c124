# SPDX-License-Identifier: MIT
"""The state of every specimen: untouched, corrected, annotated, ...; and who edits it.

All is read from the folder, so that it is right whichever program changed it. A folder is listed
once for all its specimens, and a record is read again only if its file changed.
"""

import os
from collections.abc import Collection as Group
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from gplandmark.errors import LandmarkFileError
from gplandmark.runs.checked import read_checked
from gplandmark.runs.viewing.collection import Collection, Specimen, is_corrected
from gplandmark.visual.editor import autosave_path
from gplandmark.visual.editor.output_file import is_locked, lock_path

StateName: TypeAlias = Literal[
    "failed", "checked", "corrected", "annotated", "untouched", "no landmarks"
]
Listing: TypeAlias = dict[str, tuple[int, int]]  # time and size of each file, by its name


@dataclass(frozen=True)
class SpecimenState:
    """What the list shows of a specimen.

    Attributes
    ----------
    name : its state
    unsaved : whether there are edits that nobody has saved yet
    elsewhere : whether another program edits it
    """

    name: StateName
    unsaved: bool = False
    elsewhere: bool = False


class States:
    """The states of a collection, as they were read last."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._corrected: dict[Path, tuple[tuple[int, int], bool]] = {}
        self.problem = ""

    def read(self, ours: Group[str]) -> list[SpecimenState]:
        """The states now; `ours` are keys of specimens that are edited here."""
        try:
            checked = read_checked(self._collection.folder)
            self.problem = ""
        except LandmarkFileError as error:
            checked, self.problem = frozenset(), str(error)
        folders = {each.output.parent for each in self._collection.specimens}
        files = {folder: _listed(folder) for folder in folders}
        return [
            self._state(each, checked, files[each.output.parent], each.key in ours)
            for each in self._collection.specimens
        ]

    def _state(
        self, specimen: Specimen, checked: Group[str], files: Listing, is_ours: bool
    ) -> SpecimenState:
        output = specimen.output
        elsewhere = not is_ours and lock_path(output).name in files and is_locked(output)
        return SpecimenState(
            self._name(specimen, checked, files), autosave_path(output).name in files, elsewhere
        )

    def _name(self, specimen: Specimen, checked: Group[str], files: Listing) -> StateName:
        if specimen.key in checked:
            return "checked"
        if specimen.output.name in files and self._is_corrected(specimen.output, files):
            return "corrected"
        if specimen.failure:
            return "failed"
        if specimen.landmarks is None and specimen.output.name not in files:
            return "no landmarks"
        return "annotated" if specimen.is_annotated else "untouched"

    def _is_corrected(self, output: Path, files: Listing) -> bool:
        now = files[output.name]
        known = self._corrected.get(output)
        if known is None or known[0] != now:
            known = self._corrected[output] = (now, is_corrected(output))
        return known[1]


def _listed(folder: Path) -> Listing:
    try:
        return dict(_entries(folder))
    except OSError:
        return {}


def _entries(folder: Path) -> Iterable[tuple[str, tuple[int, int]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                status = entry.stat()
                yield entry.name, (status.st_mtime_ns, status.st_size)
