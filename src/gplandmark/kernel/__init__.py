# SPDX-License-Identifier: MIT
"""Covariance between vertices, and the weights that go into it.

A kernel answers what `Kernel` asks, and nothing more is known of it downstream. A new
kernel is one module here with one class.
"""

from gplandmark.kernel.bandwidth import DEFAULT_FRACTION, bandwidth
from gplandmark.kernel.field import FieldKernel
from gplandmark.kernel.graph import GraphKernel
from gplandmark.kernel.protocol import Kernel
from gplandmark.kernel.reweighted import ReweightedKernel
from gplandmark.kernel.squared_exponential import SquaredExponentialKernel
from gplandmark.kernel.weight import curvature_weight

__all__ = [
    "DEFAULT_FRACTION",
    "FieldKernel",
    "GraphKernel",
    "Kernel",
    "ReweightedKernel",
    "SquaredExponentialKernel",
    "bandwidth",
    "curvature_weight",
]
