# SPDX-License-Identifier: MIT
"""Choosing points: which, in which order, and when to stop."""

from gplandmark.gp.selection.dense_search import randomly_pivoted
from gplandmark.gp.selection.design import Design
from gplandmark.gp.selection.greedy import select
from gplandmark.gp.selection.result import Move, Progress, Selection, Stop

__all__ = ["Design", "Move", "Progress", "Selection", "Stop", "randomly_pivoted", "select"]
