# SPDX-License-Identifier: MIT
"""Gaussian process regression with the kernels that landmarks are selected by.

>>> import gplandmark
>>> surface = gplandmark.make_molar().surface
>>> kernel = gplandmark.covariance(surface)
>>> landmarks = gplandmark.place(surface, 40)
>>> heights = landmarks.points[:, 2]
>>> vertices = surface.vertices_of(landmarks.vertices)  # a kernel knows no numbers of files
>>> gplandmark.krige(kernel, vertices, heights).mean.shape == (surface.vertex_count,)
True
>>> lesson = gplandmark.learn(kernel, lambda vertex: surface.points[vertex, 2], tolerance=0.2)
>>> lesson.stopped, bool(lesson.errors[-1] <= 0.2)
(<Stop.TARGET: 'target'>, True)
"""

from gplandmark.gp.regression.active_learning import Lesson, learn
from gplandmark.gp.regression.hyperparameters import FittedKernel, fit_kernel
from gplandmark.gp.regression.kriging import Prediction, Reconstruction, krige, reconstruct
from gplandmark.gp.regression.posterior import krige_at, posterior_covariance, posterior_samples

__all__ = [
    "FittedKernel",
    "Lesson",
    "Prediction",
    "Reconstruction",
    "fit_kernel",
    "krige",
    "krige_at",
    "learn",
    "posterior_covariance",
    "posterior_samples",
    "reconstruct",
]
