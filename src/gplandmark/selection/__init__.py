# SPDX-License-Identifier: MIT
"""Choosing points: which, in which order, and when to stop."""

from gplandmark.selection.greedy import select
from gplandmark.selection.selection import Progress, Selection, Stop

__all__ = ["Progress", "Selection", "Stop", "select"]
