# SPDX-License-Identifier: MIT
"""The curvature that settings ask for, measured once for the weight and for the classes."""

import warnings
from collections.abc import Callable
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.gp.kernels import (
    FeatureKernel,
    heat_cutoff,
    heat_kernel,
    matern_cutoff,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.landmarks.settings import Settings
from gplandmark.mesh import Curvature, Spectrum, estimate_curvature, spectrum, weyl_count
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["curvature_of", "heat", "reweighted_heat", "spectral_matern"]

Key: TypeAlias = tuple[str, float | None, int | None]
_latest: WeakKeyDictionary[Surface, tuple[Key, Curvature, tuple[str, ...]]] = WeakKeyDictionary()


def curvature_of(surface: Surface, settings: Settings) -> Curvature:
    """Curvature by the estimator of the settings; the latest of a surface is remembered.

    Its warnings are given every time, so that equal runs are told the same.
    """
    key = (settings.curvature, settings.curvature_radius, settings.curvature_neighbours)
    if surface not in _latest or _latest[surface][0] != key:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", GplandmarkWarning)
            curvature = estimate_curvature(surface, key[0], radius=key[1], neighbours=key[2])
        for array in (curvature.gaussian, curvature.mean):
            array.setflags(write=False)
        _latest[surface] = (key, curvature, tuple(str(each.message) for each in caught))
    _, curvature, notes = _latest[surface]
    for note in notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=2)
    return curvature


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
