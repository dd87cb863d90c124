# SPDX-License-Identifier: MIT
"""The landmarks of an editor as steps that the viewer can show."""

import numpy as np
from threadpoolctl import ThreadpoolController

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.editor import Editor
from gplandmark.visual.viewer.steps import Steps

__all__ = ["Looks"]


class Looks:
    """Makes `Steps` of what an editor holds.

    Parameters
    ----------
    editor : whose landmarks are shown
    drawn : (k,) vertices that are drawn
    """

    def __init__(self, editor: Editor, drawn: IndexArray) -> None:
        self._editor, self._drawn = editor, drawn
        self._calm = ThreadpoolController()
        covered = editor.surface.covered()
        self._start = float(editor.variance(0)[covered].max())
        self._curve = np.ones(1)

    def steps(self, *, is_new: bool = True) -> Steps:
        """All steps as they are now; where only the selection is new, the curve is the same."""
        editor, state = self._editor, self._editor.state
        if is_new:
            self._curve = editor.curve().largest / self._start
        painted = editor.painted[self._drawn] if state.painted else None
        return Steps(
            editor.points,
            tuple(mark.label for mark in state.marks),
            self._curve,
            self._variance,
            "landmarks",
            editor.selected,
            painted,
        )

    def _variance(self, count: int) -> FloatArray:
        """As shares of the largest at the start, at the vertices drawn."""
        count = min(count, len(self._editor.state.marks))
        with self._calm.limit(limits=1):  # see `Session.edit`
            left = self._editor.variance(count)[self._drawn] / self._start
        return np.asarray(np.clip(left, 0, 1))
