# SPDX-License-Identifier: MIT
"""Accuracy of matching, measured by landmarks that people placed.

Import `evaluate` and `Evaluation` from this package, and tables from its modules.
"""

from gplandmark.morphometrics.evaluation.evaluate import evaluate
from gplandmark.morphometrics.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate"]
