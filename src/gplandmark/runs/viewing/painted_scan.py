# SPDX-License-Identifier: MIT
"""What is painted as not bone on the scan of a specimen, and the file that keeps it."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.io.scans.not_bone import not_bone_digest, read_not_bone, write_not_bone
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor import History, NotBoneEditor
from gplandmark.visual.editor.editor import Editor
from gplandmark.visual.editor.history import Origin
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
