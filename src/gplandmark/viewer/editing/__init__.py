# SPDX-License-Identifier: MIT
"""Landmarks under a person's hands in the browser: `gplandmark.editing` joined to the viewer."""

from gplandmark.viewer.editing.controls import Controls
from gplandmark.viewer.editing.session import Session

__all__ = ["Controls", "Session"]
