# SPDX-License-Identifier: MIT
"""Choosing points: which, in which order, and when to stop."""

from gplandmark.selection.design import Design
from gplandmark.selection.greedy import select
from gplandmark.selection.random_pivots import randomly_pivoted
from gplandmark.selection.selection import Move, Progress, Selection, Stop

__all__ = ["Design", "Move", "Progress", "Selection", "Stop", "randomly_pivoted", "select"]
