# SPDX-License-Identifier: MIT
"""Editing landmarks without a screen: edits, undo, live variance, autosave, saving.

Import from this package. A viewer calls `Editor` and draws its state.
"""

from gplandmark.visual.editor.autosave import Autosave, Recovered, autosave_path, recover
from gplandmark.visual.editor.curve_editor import CurveEditor, CurvePaths
from gplandmark.visual.editor.editor import Editor
from gplandmark.visual.editor.history import History
from gplandmark.visual.editor.live_variance import VarianceMap
from gplandmark.visual.editor.not_bone_edits import NotBoneEditor
from gplandmark.visual.editor.open import check_opens
from gplandmark.visual.editor.output_file import check_output, save, why_ask
from gplandmark.visual.editor.state import Mark, State

__all__ = [
    "Autosave", "CurveEditor", "CurvePaths", "Editor", "History", "Mark", "NotBoneEditor",
    "Recovered", "State", "VarianceMap", "autosave_path", "check_opens", "check_output", "recover",
    "save", "why_ask",
]  # fmt: skip
