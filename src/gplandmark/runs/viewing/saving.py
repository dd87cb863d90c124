# SPDX-License-Identifier: MIT
"""What is saved of a specimen: its landmarks, and what is painted as not bone beside its scan.

Files of what did not change stay as they are.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.landmark_formats.formats import format_of
from gplandmark.io.scans.not_bone import not_bone_digest, read_not_bone, write_not_bone
from gplandmark.io.write_landmarks import lost_in
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor import Editor, History, NotBoneEditor, save
from gplandmark.visual.editor.history import LANDMARKS, Origin
from gplandmark.visual.editor.state import mask_from_bytes, mask_to_bytes

SAVED = "Saved {count:,} vertices that are not bone to {path}. Commands leave them out."
NONE_LEFT = "Nothing is marked as not bone any more; {path} is removed."


class PaintedScan:
    """The list of what is not bone, beside the scan of a specimen."""

    def __init__(self, scan: Path, surface: Surface) -> None:
        self._scan, self._surface = scan, surface

    def digest(self) -> str | None:
        """SHA-256 of the file now; None if there is none."""
        return not_bone_digest(self._scan, self._surface.name)

    def started(self, origin: Origin) -> History:
        """The history of landmarks that were just opened, with the paint of the file.

        What is not bone need not be masked as well.
        """
        mask = read_not_bone(self._surface, self._scan)
        masked = mask_from_bytes(origin.state.painted, len(mask)) & ~mask
        state = replace(origin.state, painted=mask_to_bytes(masked), not_bone=mask_to_bytes(mask))
        return History.starting(replace(origin, state=state))

    def save(self, editor: Editor) -> str:
        """Write the file if the paint changed; returns what was done, in words.

        Raises
        ------
        LandmarkFileError
            It cannot be written.
        """
        mask = NotBoneEditor(editor).mask
        path = write_not_bone(self._surface, mask, self._scan)
        sentence = SAVED if mask.any() else NONE_LEFT
        return sentence.format(count=int(np.count_nonzero(mask)), path=path)


def is_only_paint(editor: Editor) -> bool:
    """Whether only what is not bone was changed, so that the landmark file stays as it is."""
    return editor.history.has_saved(LANDMARKS) and not editor.history.has_saved(("not_bone",))


def save_specimen(editor: Editor, paint: PaintedScan, output: Path) -> str:
    """Write landmarks to an output, and what is not bone beside the scan, as far as they changed.

    Returns what was done, in words. If the second cannot be written, the first is.

    Raises
    ------
    LandmarkFileError
        One of them cannot be written.
    """
    history, done = editor.history, []
    before = (history.saved or history.origin.state).not_bone
    if not is_only_paint(editor):
        save(editor, output, force=True)
        lost = lost_in((read_landmarks(output),), output, format_of(output)[1].keeps)
        done += [f"Saved {len(editor.state.marks)} landmarks to {output}.", lost]
        history.saved = replace(editor.state, not_bone=before)
    if before != editor.state.not_bone:
        done.append(paint.save(editor))
    history.saved = editor.state
    return " ".join(filter(None, done))
