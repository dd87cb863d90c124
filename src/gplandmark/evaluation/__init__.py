# SPDX-License-Identifier: MIT
"""How good a match is, measured by landmarks that people placed."""

from gplandmark.evaluation.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
