# SPDX-License-Identifier: MIT
"""From settings to the covariance of a surface: one builder for each kernel by name."""

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.geometry import surface_area, voronoi_areas
from gplandmark.kernel import (
    FieldKernel,
    Kernel,
    ReweightedKernel,
    SquaredExponentialKernel,
    bandwidth,
    curvature_weight,
)
from gplandmark.landmarks.authors import AuthorsSettings
from gplandmark.landmarks.curvatures import curvature_of
from gplandmark.landmarks.settings import Settings
from gplandmark.loops import COMPILED
from gplandmark.surface import Surface

__all__ = ["covariance", "masses"]

# Without compiled loops a field pays only where direct sums would take minutes.
MANY_WITHOUT_COMPILER = 10_000


def covariance(
    surface: Surface,
    settings: Settings | AuthorsSettings | None = None,
    weight: FloatArray | None = None,
) -> Kernel:
    """Return the kernel that `place` would use: the covariance of the Gaussian process.

    `weight` (n,) replaces the weight of the settings.
    """
    settings = settings or Settings()
    if isinstance(settings, AuthorsSettings):
        return settings.covariance(surface, weight)
    return BUILDERS[settings.kernel](surface, settings, weight)


def masses(
    surface: Surface, settings: Settings | None = None, weight: FloatArray | None = None
) -> FloatArray:
    """Return w(x_k) nu(x_k) of every vertex, shape (n,), with sum 1: the diagonal of Lambda."""
    areas = voronoi_areas(surface)
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


def _squared_exponential(surface: Surface, settings: Settings, weight: FloatArray | None) -> Kernel:
    _refuse_weight(weight, "squared exponential")
    return SquaredExponentialKernel(surface.points, _eps(surface, settings))


def _refuse_weight(weight: FloatArray | None, kernel: str) -> None:
    if weight is not None:
        raise SettingsError(
            f"The {kernel} kernel has no weight. "
            "Leave the weight out, or use the reweighted kernel."
        )


Builder = Callable[[Surface, Settings, FloatArray | None], Kernel]

BUILDERS: Mapping[str, Builder] = {
    "reweighted": _reweighted,
    "squared-exponential": _squared_exponential,
}
