# SPDX-License-Identifier: MIT
"""Editing landmarks in the browser: `gplandmark.visual.editor` joined to the viewer."""

from gplandmark.visual.viewer.editing.controls import Controls
from gplandmark.visual.viewer.editing.session import Session

__all__ = ["Controls", "Session"]
