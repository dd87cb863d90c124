# SPDX-License-Identifier: MIT
"""Kernels that need more of a surface than its points: a field, a graph, or eigenpairs."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError, warn
from gplandmark.gp.kernels import (
    FeatureKernel,
    FieldKernel,
    GraphKernel,
    Kernel,
    ReweightedKernel,
    heat_cutoff,
    heat_kernel,
    matern_cutoff,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.gp.kernels.graph import NEIGHBOURS, check_neighbours
from gplandmark.gp.limits import available_memory
from gplandmark.mesh import Spectrum
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.native import COMPILED

# Without compiled loops a field pays only where direct sums would take minutes.
MANY_WITHOUT_COMPILER = 10_000
# Sums over all pairs take minutes from here on, and beyond space there is no field.
MANY_BEYOND_SPACE = 50_000
BYTES_PER_EDGE = 100  # of a graph while it is made: distances, numbers, both triangles of Phi
WORTH_SAYING = 0.03  # fraction of the trace that may be neglected in silence


@dataclass(frozen=True, eq=False)
class KernelInputs:
    """What a surface gives to its kernel.

    Attributes
    ----------
    surface : with n vertices
    eps : bandwidth, in squared units of the file
    masses : w nu of every vertex (n,), from areas nu (n,), by default those of the surface
    eigenpairs : of the surface, up to an eigenvalue
    """

    surface: Surface
    eps: float
    masses: Callable[..., FloatArray]
    eigenpairs: Callable[[float], Spectrum]

    @property
    def points(self) -> FloatArray:
        """The vertices, shape (n, d)."""
        return self.surface.points


def reweighted_on(on: KernelInputs, engine: str, tolerance: float) -> Kernel:
    """The paper's kernel W Lambda W, by a field or by sums over all pairs."""
    masses = on.masses()
    if _has_field(on.surface, engine):
        return FieldKernel.of(on.points, masses, on.eps, tolerance=tolerance)
    return ReweightedKernel(on.points, masses, on.eps)


def _has_field(surface: Surface, engine: str) -> bool:
    if engine != "auto":
        return engine == "field"
    count, dimension = surface.vertex_count, surface.points.shape[1]
    if dimension > 3:
        if count > MANY_BEYOND_SPACE:
            warn(
                f"{surface.name} has {count:,} points in {dimension} dimensions: sums over all "
                "pairs take minutes. The kernel 'graph' is faster."
            )
        return False
    if COMPILED is not None:
        return True
    if count > MANY_WITHOUT_COMPILER:
        warnings.warn(
            "The compiled loops were not built when gplandmark was installed: this takes some "
            "twenty times longer. Install a C compiler and then gplandmark again.",
            GplandmarkWarning,
            stacklevel=5,
        )
    return count > MANY_WITHOUT_COMPILER


def graph_on(on: KernelInputs, neighbours: int | None) -> Kernel:
    """The paper's kernel, cut at nearest neighbours."""
    count = on.surface.vertex_count
    if neighbours is not None:
        check_neighbours(neighbours, count)
    neighbours = neighbours or min(NEIGHBOURS, count - 1)
    free, needed = available_memory(), BYTES_PER_EDGE * count * neighbours
    if free is not None and needed > free:
        raise SettingsError(
            f"A graph of {count:,} points with {neighbours} neighbours each needs "
            f"about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free. "
            "Use fewer neighbours, or fewer points."
        )
    kernel = GraphKernel(on.points, on.masses(), on.eps, neighbours)
    kernel.warn(on.surface.name)
    return kernel


def heat_on(on: KernelInputs) -> FeatureKernel:
    """Kernel pi eps k_t with t = eps / 4: without units, and W itself where the surface is flat."""
    time = on.eps / 4
    return _warned(heat_kernel(on.eigenpairs(heat_cutoff(time)), time).scaled(np.pi * on.eps))


def reweighted_heat_on(on: KernelInputs) -> FeatureKernel:
    """Kernel (pi eps)^2 k_{t/2} diag(w nu) k_{t/2} with t = eps / 2 and nu of the eigenpairs."""
    time = on.eps / 2
    pairs = on.eigenpairs(heat_cutoff(time / 2))
    kernel = reweighted_heat_kernel(pairs, time, on.masses(pairs.mass))
    return _warned(kernel.scaled((np.pi * on.eps) ** 2))


def spectral_matern_on(on: KernelInputs, smoothness: float) -> FeatureKernel:
    """Matern kernel on the surface, with l^2 = eps / 2."""
    pairs = on.eigenpairs(matern_cutoff(on.eps, smoothness))
    return _warned(spectral_matern_kernel(pairs, on.eps, smoothness))


def _warned(kernel: FeatureKernel) -> FeatureKernel:
    """The kernel, with a warning if its eigenpairs leave out much of the variance."""
    if kernel.neglected > WORTH_SAYING:
        warnings.warn(
            f"{kernel.features.shape[1]:,} eigenpairs leave out about {kernel.neglected:.0%} of "
            "the variance. Use more eigenpairs, a larger bandwidth, or a smoother kernel.",
            GplandmarkWarning,
            stacklevel=5,
        )
    return kernel
