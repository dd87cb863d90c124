# SPDX-License-Identifier: MIT
"""Choosing points: which, in which order, and when to stop."""

from gplandmark.selection.greedy import select
from gplandmark.selection.selection import Move, Progress, Selection, Stop

__all__ = ["Move", "Progress", "Selection", "Stop", "select"]
