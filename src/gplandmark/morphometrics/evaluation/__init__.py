# SPDX-License-Identifier: MIT
"""How good a match is, measured by landmarks that people placed."""

from gplandmark.morphometrics.evaluation.evaluate import evaluate
from gplandmark.morphometrics.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate"]
