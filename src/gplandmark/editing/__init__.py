# SPDX-License-Identifier: MIT
"""A landmark set under a person's hands: edits, undo, the variance at once, autosave.

No screen and no server: a viewer calls `Editor`, and draws what it finds there.
"""

from gplandmark.editing.autosave import Autosave, Recovered, autosave_path, recover
from gplandmark.editing.editor import Editor
from gplandmark.editing.history import Entry, History, Origin
from gplandmark.editing.opening import check_opens
from gplandmark.editing.saving import check_output, save, why_ask
from gplandmark.editing.state import Mark, Place, State
from gplandmark.editing.variance import VarianceCurve, VarianceMap

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
    "VarianceCurve",
    "VarianceMap",
    "autosave_path",
    "check_opens",
    "check_output",
    "recover",
    "save",
    "why_ask",
]
