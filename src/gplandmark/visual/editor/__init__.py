# SPDX-License-Identifier: MIT
"""A landmark set under a person's hands: edits, undo, the variance at once, autosave.

No screen and no server: a viewer calls `Editor`, and draws what it finds there.
"""

from gplandmark.visual.editor.autosave import Autosave, Recovered, autosave_path, recover
from gplandmark.visual.editor.editor import Editor
from gplandmark.visual.editor.history import Entry, History, Origin
from gplandmark.visual.editor.live_variance import VarianceMap
from gplandmark.visual.editor.open import check_opens
from gplandmark.visual.editor.output_file import check_output, save, why_ask
from gplandmark.visual.editor.state import Mark, Place, State

__all__ = [
    "Autosave",
    "Editor",
    "Entry",
    "History",
    "Mark",
    "Origin",
    "Place",
    "Recovered",
    "State",
    "VarianceMap",
    "autosave_path",
    "check_opens",
    "check_output",
    "recover",
    "save",
    "why_ask",
]
