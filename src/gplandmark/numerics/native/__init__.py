# SPDX-License-Identifier: MIT
"""The hot loops, twice: compiled when the package is installed, and in NumPy.

Both have the same functions with the same arguments and give the same results to rounding. They
know arrays and nothing else.
"""

from gplandmark.numerics.native.choice import COMPILED, loops_called, loops_name

__all__ = ["COMPILED", "loops_called", "loops_name"]
