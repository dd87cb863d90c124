# SPDX-License-Identifier: MIT
"""From settings to the covariance of a surface: its curvature, its weight, its kernel."""

import warnings
from functools import partial
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import GplandmarkWarning, ScanError, SettingsError, warn
from gplandmark.gp.kernels import Kernel, bandwidth, curvature_weight
from gplandmark.landmarks.presets import AuthorsSettings, MethodSettings
from gplandmark.landmarks.settings import KERNELS, Settings
from gplandmark.landmarks.surface_kernels import KernelInputs
from gplandmark.mesh import (
    Curvature,
    Spectrum,
    estimate_curvature,
    spectrum,
    surface_area,
    vertex_areas,
    weyl_count,
)
from gplandmark.mesh.as_surface import as_surface
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import numbers
from gplandmark.numerics.arrays import FloatArray

SMALLEST, LARGEST = 1e-30, 1e30  # extents of a surface
MOST_EIGENPAIRS = 1000  # unless more are asked for

Key: TypeAlias = tuple[str, float | None, int | None]
_latest: WeakKeyDictionary[Surface, tuple[Key, Curvature, tuple[str, ...]]] = WeakKeyDictionary()


def covariance(
    surface: Surface, settings: MethodSettings | None = None, weight: FloatArray | None = None
) -> Kernel:
    """Return the kernel that `place` would use: the covariance of the Gaussian process.

    `weight` (n,) replaces the weight of the settings. Where cleaning removed vertices, it may
    also have one entry per vertex of the file.
    """
    settings = Settings() if settings is None else settings
    check_method(settings)
    surface = as_surface(surface)
    _check_extent(surface)
    weight = weight_per_vertex(surface, weight)
    if isinstance(settings, AuthorsSettings):
        return settings.covariance(surface, weight)
    if weight is not None and not settings.is_weighted:
        raise SettingsError(
            f"The kernel '{settings.kernel}' has no weight. "
            "Leave the weight out, or use the reweighted kernel."
        )

    eps = settings.eps or bandwidth(surface_area(surface), settings.bandwidth)
    weighted = partial(masses, surface, settings, weight)
    eigenpairs = partial(_eigenpairs, surface, settings)
    inputs = KernelInputs(surface, eps, weighted, eigenpairs)
    return KERNELS[settings.kernel].build(inputs, settings)


def _check_extent(surface: Surface) -> None:
    """Refuse a surface whose areas and curvatures would be 0 or infinite; one place has no size."""
    extent = float(surface.points.max()) - float(surface.points.min())
    if extent and not SMALLEST <= extent <= LARGEST:
        raise ScanError.of(
            surface.name,
            f"extends over {extent:.2g}, too {'little' if extent < 1 else 'much'} to compute with. "
            "Use another unit of length, such as the millimetre.",
        )


def check_method(settings: MethodSettings) -> None:
    """Refuse the name of a preset in place of the settings."""
    if not isinstance(settings, MethodSettings):
        raise SettingsError(f"Expected Settings, got {settings!r}. Use gplandmark.preset.")


def _eigenpairs(surface: Surface, settings: Settings, cutoff: float) -> Spectrum:
    """Eigenpairs up to the cutoff, by Weyl's law, or as many as the settings say."""
    count = settings.eigenpairs or min(
        MOST_EIGENPAIRS, weyl_count(surface, cutoff, settings.boundary)
    )
    return spectrum(surface, count, laplacian=settings.laplacian, boundary=settings.boundary)


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
    array = numbers(weight, "The weights")
    if array.shape != (surface.vertex_count,):
        raise SettingsError(
            f"Expected one weight for each of the {surface.vertex_count:,} vertices of "
            f"{surface.name}, got an array of shape {array.shape}."
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError(f"The weights of {surface.name} must be finite and not negative.")
    return array


def weight_per_vertex(surface: Surface, weight: FloatArray | None) -> FloatArray | None:
    """One weight per vertex of the surface, from one per vertex of it or of the file."""
    return None if weight is None else surface.from_file(numbers(weight, "The weights"))


def curvature_of(surface: Surface, settings: MethodSettings | None = None) -> Curvature:
    """Curvature by the estimator of the settings; the latest of a surface is kept.

    The weight and the classes of landmarks both need it. Its warnings are given every time, so
    that equal runs give equal warnings. The authors' settings name no estimator: for them it is
    the default one.
    """
    chosen = settings if isinstance(settings, Settings) else Settings()
    key = (chosen.curvature, chosen.curvature_radius, chosen.curvature_neighbours)
    if surface not in _latest or _latest[surface][0] != key:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", GplandmarkWarning)
            curvature = estimate_curvature(surface, key[0], radius=key[1], neighbours=key[2])
        for array in (curvature.gaussian, curvature.mean):
            array.setflags(write=False)
        _latest[surface] = (key, curvature, tuple(str(each.message) for each in caught))
    _, curvature, notes = _latest[surface]
    for note in notes:
        warn(note)
    return curvature
