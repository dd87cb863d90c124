# SPDX-License-Identifier: MIT
"""Covariance between vertices, and the weights that go into it.

A kernel answers what `Kernel` asks, and nothing more is known of it downstream. A new
kernel is one module here with one class.
"""

from gplandmark.kernel.bandwidth import DEFAULT_FRACTION, bandwidth
from gplandmark.kernel.diffusion import DiffusionKernel
from gplandmark.kernel.features import FeatureKernel
from gplandmark.kernel.field import FieldKernel
from gplandmark.kernel.graph import GraphKernel
from gplandmark.kernel.heat import heat_cutoff, heat_kernel
from gplandmark.kernel.matern import MaternKernel
from gplandmark.kernel.matrix import MatrixKernel, as_kernel
from gplandmark.kernel.part import PartKernel
from gplandmark.kernel.protocol import Kernel
from gplandmark.kernel.reweighted import ReweightedKernel
from gplandmark.kernel.reweighted_heat import reweighted_heat_kernel
from gplandmark.kernel.spectral_matern import matern_cutoff, spectral_matern_kernel
from gplandmark.kernel.squared_exponential import SquaredExponentialKernel
from gplandmark.kernel.weight import curvature_weight

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
    "reweighted_heat_kernel",
    "spectral_matern_kernel",
]
