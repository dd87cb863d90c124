# SPDX-License-Identifier: MIT
"""Covariance between vertices, and the weights that go into it.

A kernel answers what `Kernel` asks, and nothing more is known of it downstream. A new
kernel is one module here with one class.
"""

from gplandmark.gp.kernels.diffusion import DiffusionKernel
from gplandmark.gp.kernels.field_kernel import FieldKernel
from gplandmark.gp.kernels.graph import GraphKernel
from gplandmark.gp.kernels.protocol import Kernel, MatrixKernel, PartKernel, as_kernel, noise_floor
from gplandmark.gp.kernels.reweighted import ReweightedKernel
from gplandmark.gp.kernels.spectral import (
    FeatureKernel,
    heat_cutoff,
    heat_kernel,
    matern_cutoff,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.gp.kernels.stationary import MaternKernel, SquaredExponentialKernel
from gplandmark.gp.kernels.weight import DEFAULT_FRACTION, bandwidth, curvature_weight

__all__ = [
    "DEFAULT_FRACTION",
    "DiffusionKernel",
    "FeatureKernel",
    "FieldKernel",
    "GraphKernel",
    "Kernel",
    "MaternKernel",
    "MatrixKernel",
    "PartKernel",
    "ReweightedKernel",
    "SquaredExponentialKernel",
    "as_kernel",
    "bandwidth",
    "curvature_weight",
    "heat_cutoff",
    "heat_kernel",
    "matern_cutoff",
    "noise_floor",
    "reweighted_heat_kernel",
    "spectral_matern_kernel",
]
