# SPDX-License-Identifier: MIT
"""Gaussian process regression with the kernels that landmarks are selected by."""

from gplandmark.regression.active import Lesson, learn
from gplandmark.regression.kriging import Prediction, krige
from gplandmark.regression.reconstruction import Reconstruction, reconstruct

__all__ = ["Lesson", "Prediction", "Reconstruction", "krige", "learn", "reconstruct"]
