# SPDX-License-Identifier: MIT
"""How good a match is, measured by landmarks that people placed."""

from gplandmark.evaluation.evaluating import evaluate
from gplandmark.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate"]
