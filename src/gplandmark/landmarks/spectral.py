# SPDX-License-Identifier: MIT
"""From settings to the kernels of the surface itself, with as many eigenpairs as they need."""

import warnings
from collections.abc import Callable

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import GplandmarkWarning
from gplandmark.geometry import Spectrum, spectrum, weyl_count
from gplandmark.kernel import (
    FeatureKernel,
    heat_cutoff,
    heat_kernel,
    matern_cutoff,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.landmarks.settings import Settings
from gplandmark.surface import Surface

__all__ = ["heat", "reweighted_heat", "spectral_matern"]

MOST = 1000  # eigenpairs, unless more are asked for
WORTH_SAYING = 0.03  # share of the trace that may be neglected in silence


def heat(surface: Surface, settings: Settings, eps: float) -> FeatureKernel:
    """Kernel pi eps k_t with t = eps / 4: without units, and W itself where the surface is flat."""
    time = eps / 4
    pairs = _pairs(surface, settings, heat_cutoff(time))
    return _stated(heat_kernel(pairs, time).scaled(np.pi * eps))


def reweighted_heat(
    surface: Surface, settings: Settings, eps: float, masses: Callable[[FloatArray], FloatArray]
) -> FeatureKernel:
    """Kernel (pi eps)^2 k_{t/2} diag(w nu) k_{t/2} with t = eps / 2; `masses` makes w nu of nu."""
    time = eps / 2
    pairs = _pairs(surface, settings, heat_cutoff(time / 2))
    kernel = reweighted_heat_kernel(pairs, time, masses(pairs.mass))
    return _stated(kernel.scaled((np.pi * eps) ** 2))


def spectral_matern(surface: Surface, settings: Settings, eps: float) -> FeatureKernel:
    """Matern kernel with l^2 = eps / 2."""
    pairs = _pairs(surface, settings, matern_cutoff(eps, settings.smoothness))
    return _stated(spectral_matern_kernel(pairs, eps, settings.smoothness))


def _pairs(surface: Surface, settings: Settings, cutoff: float) -> Spectrum:
    """Eigenpairs up to the cutoff, by Weyl's law, or as many as the settings say."""
    count = settings.eigenpairs or min(MOST, weyl_count(surface, cutoff, settings.boundary))
    return spectrum(surface, count, laplacian=settings.laplacian, boundary=settings.boundary)


def _stated(kernel: FeatureKernel) -> FeatureKernel:
    if kernel.neglected > WORTH_SAYING:
        warnings.warn(
            f"{kernel.features.shape[1]:,} eigenpairs leave out about {kernel.neglected:.0%} of "
            "the variance. Use more eigenpairs, a larger bandwidth, or a smoother kernel.",
            GplandmarkWarning,
            stacklevel=4,
        )
    return kernel
