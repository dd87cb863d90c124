# SPDX-License-Identifier: MIT
"""Prediction of an expert's landmarks on all specimens, from those that the expert annotated.

Import from this package.
"""

from gplandmark.morphometrics.prediction.predict import predict
from gplandmark.morphometrics.prediction.predicted_sample import PredictedSample
from gplandmark.morphometrics.prediction.suggestion import Suggestion, suggest

__all__ = ["PredictedSample", "Suggestion", "predict", "suggest"]
