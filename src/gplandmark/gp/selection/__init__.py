# SPDX-License-Identifier: MIT
"""Selection of points by their variance: greedy, random, or one change at a time.

Import `select`, `Design`, `randomly_pivoted` and their types from here.
"""

from gplandmark.gp.selection.dense_search import randomly_pivoted
from gplandmark.gp.selection.design import Design
from gplandmark.gp.selection.greedy import select
from gplandmark.gp.selection.result import Move, Progress, Selection, Stop

__all__ = ["Design", "Move", "Progress", "Selection", "Stop", "randomly_pivoted", "select"]
