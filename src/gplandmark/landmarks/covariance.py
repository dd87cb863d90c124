# SPDX-License-Identifier: MIT
"""From settings to the covariance of a surface: one builder for each kernel by name."""

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.gp.kernels import (
    DiffusionKernel,
    FieldKernel,
    GraphKernel,
    Kernel,
    MaternKernel,
    ReweightedKernel,
    SquaredExponentialKernel,
    bandwidth,
    curvature_weight,
)
from gplandmark.gp.kernels.graph import NEIGHBOURS, check_neighbours
from gplandmark.gp.limits import available_memory
from gplandmark.landmarks.covariance_inputs import (
    curvature_of,
    heat,
    reweighted_heat,
    spectral_matern,
)
from gplandmark.landmarks.on_surface import weight_per_vertex
from gplandmark.landmarks.presets import AuthorsSettings, MethodSettings
from gplandmark.landmarks.settings import Settings
from gplandmark.mesh import surface_area, vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.native import COMPILED

__all__ = ["covariance", "masses"]

# Without compiled loops a field pays only where direct sums would take minutes.
MANY_WITHOUT_COMPILER = 10_000

# Direct sums over all pairs take minutes from here on, and beyond space there is no field.
MANY_BEYOND_SPACE = 20_000

BYTES_PER_EDGE = 100  # of a graph while it is made: distances, numbers, both triangles of Phi


def covariance(
    surface: Surface,
    settings: MethodSettings | None = None,
    weight: FloatArray | None = None,
) -> Kernel:
    """Return the kernel that `place` would use: the covariance of the Gaussian process.

    `weight` (n,) replaces the weight of the settings; where cleaning left vertices out, it may
    also have one entry per vertex of the file.
    """
    settings = settings or Settings()
    weight = weight_per_vertex(surface, weight)
    if isinstance(settings, AuthorsSettings):
        return settings.covariance(surface, weight)
    return BUILDERS[settings.kernel](surface, settings, weight)


def masses(
    surface: Surface,
    settings: Settings | None = None,
    weight: FloatArray | None = None,
    areas: FloatArray | None = None,
) -> FloatArray:
    """Return w(x_k) nu(x_k) of every vertex, shape (n,), with sum 1: the diagonal of Lambda.

    `areas` (n,) are nu, by default those of the surface.
    """
    areas = vertex_areas(surface) if areas is None else areas
    if weight is None:
        weight = _weight(surface, settings or Settings(), areas)
    products = _checked_weight(weight, surface) * areas
    total = products.sum()
    if not total > 0:
        raise SettingsError("The weight is zero on the whole surface. Give some vertex a weight.")
    return np.asarray(products / total)


def _weight(surface: Surface, settings: Settings, areas: FloatArray) -> FloatArray:
    if settings.weight == "uniform":
        return np.ones(surface.vertex_count)
    curvature = curvature_of(surface, settings)
    return curvature_weight(curvature, areas, mixture=settings.mixture, exponent=settings.exponent)


def _checked_weight(weight: FloatArray, surface: Surface) -> FloatArray:
    array = np.asarray(weight, dtype=np.float64)
    if array.shape != (surface.vertex_count,):
        raise SettingsError(
            f"Expected one weight for each of the {surface.vertex_count:,} vertices of "
            f"{surface.name}, got an array of shape {array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError(f"The weights of {surface.name} must be finite and not negative.")
    return array


def _eps(surface: Surface, settings: Settings) -> float:
    if settings.eps is not None:
        return settings.eps
    return bandwidth(surface_area(surface), settings.bandwidth)


def _reweighted(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    eps = _eps(surface, settings)
    weights = masses(surface, settings, weight)
    if _has_field(surface, settings):
        return FieldKernel.of(surface.points, weights, eps, tolerance=settings.tolerance)
    return ReweightedKernel(surface.points, weights, eps)


def _has_field(surface: Surface, settings: Settings) -> bool:
    if settings.engine != "auto":
        return settings.engine == "field"
    if surface.points.shape[1] > 3:
        _check_few(surface)
        return False
    if COMPILED is not None:
        return True
    if surface.vertex_count > MANY_WITHOUT_COMPILER:
        warnings.warn(
            "The compiled loops were not built when gplandmark was installed: this takes some "
            "twenty times longer. Install a C compiler and then gplandmark again.",
            GplandmarkWarning,
            stacklevel=4,
        )
    return surface.vertex_count > MANY_WITHOUT_COMPILER


def _check_few(surface: Surface) -> None:
    if surface.vertex_count > MANY_BEYOND_SPACE:
        raise SettingsError(
            f"{surface.name} has {surface.vertex_count:,} points in {surface.points.shape[1]} "
            "dimensions, and sums over all pairs would take very long. Use the kernel 'graph', or "
            "the engine 'direct' to wait for them."
        )


def _graph(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    count = surface.vertex_count
    if settings.neighbours is not None:
        check_neighbours(settings.neighbours, count)
    neighbours = settings.neighbours or min(NEIGHBOURS, count - 1)
    _check_edges(surface, neighbours)
    weights = masses(surface, settings, weight)
    kernel = GraphKernel(surface.points, weights, _eps(surface, settings), neighbours)
    kernel.warn(surface.name)
    return kernel


def _check_edges(surface: Surface, neighbours: int) -> None:
    free, needed = available_memory(), BYTES_PER_EDGE * surface.vertex_count * neighbours
    if free is not None and needed > free:
        raise SettingsError(
            f"A graph of {surface.vertex_count:,} points with {neighbours} neighbours each needs "
            f"about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free. "
            "Use fewer neighbours, or fewer points."
        )


def _squared_exponential(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "squared exponential")
    return SquaredExponentialKernel(surface.points, _eps(surface, settings))


def _matern(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "Matern")
    return MaternKernel(surface.points, _eps(surface, settings), settings.smoothness)


def _diffusion(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "diffusion")
    return DiffusionKernel(surface.points, _eps(surface, settings), settings.alpha)


def _heat(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "heat")
    return heat(surface, settings, _eps(surface, settings))


def _reweighted_heat(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    def weighted(areas: FloatArray) -> FloatArray:
        return masses(surface, settings, weight, areas)

    return reweighted_heat(surface, settings, _eps(surface, settings), weighted)


def _spectral_matern(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "Matern")
    return spectral_matern(surface, settings, _eps(surface, settings))


def _refuse_weight(weight: FloatArray | None, kernel: str) -> None:
    if weight is not None:
        raise SettingsError(
            f"The {kernel} kernel has no weight. "
            "Leave the weight out, or use the reweighted kernel."
        )


Builder = Callable[[Surface, Settings, FloatArray | None], Kernel]

BUILDERS: Mapping[str, Builder] = {
    "reweighted": _reweighted,
    "graph": _graph,
    "squared-exponential": _squared_exponential,
    "reweighted-heat": _reweighted_heat,
    "heat": _heat,
    "matern": _matern,
    "spectral-matern": _spectral_matern,
    "diffusion": _diffusion,
}
