# SPDX-License-Identifier: MIT
"""Whole folders as matched samples: the same points on every specimen, and how good they are."""

from gplandmark.samples.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
