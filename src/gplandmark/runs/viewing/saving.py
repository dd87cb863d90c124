# SPDX-License-Identifier: MIT
"""Saving a specimen: its landmarks, and what is not bone. Files of what did not change stay."""

from dataclasses import replace
from pathlib import Path

from gplandmark.io.landmark_files import format_of, read_landmarks
from gplandmark.io.write_landmarks import lost_in
from gplandmark.runs.viewing.painted_scan import PaintedScan
from gplandmark.visual.editor import Editor, save
from gplandmark.visual.editor.history import LANDMARKS


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
