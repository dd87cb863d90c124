# SPDX-License-Identifier: MIT
"""Kernels, the covariance between vertices, and the weight that goes into the paper's.

Import them from here. Everything downstream uses only what `Kernel` asks for.
`gplandmark.landmarks.settings.KERNELS` lists those that have a name on the command line.
"""

from gplandmark.gp.kernels.field_kernel import FieldKernel
from gplandmark.gp.kernels.graph import GraphKernel
from gplandmark.gp.kernels.matrices import MatrixKernel, SparseKernel
from gplandmark.gp.kernels.protocol import (
    Kernel,
    PartKernel,
    columns_together,
    noise_floor,
    positions,
)
from gplandmark.gp.kernels.reweighted import DiffusionKernel, ReweightedKernel
from gplandmark.gp.kernels.spectral import (
    FeatureKernel,
    heat_cutoff,
    heat_kernel,
    matern_cutoff,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.gp.kernels.stationary import MaternKernel, SquaredExponentialKernel
from gplandmark.gp.kernels.supplied import as_kernel, kernel_of
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
    "SparseKernel",
    "SquaredExponentialKernel",
    "as_kernel",
    "bandwidth",
    "columns_together",
    "curvature_weight",
    "heat_cutoff",
    "heat_kernel",
    "kernel_of",
    "matern_cutoff",
    "noise_floor",
    "positions",
    "reweighted_heat_kernel",
    "spectral_matern_kernel",
]
