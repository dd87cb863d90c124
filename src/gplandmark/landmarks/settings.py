# SPDX-License-Identifier: MIT
"""Every parameter of the paper's method, with its default, range and unit."""

import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.geometry import ESTIMATORS, estimate_curvature, surface_area, voronoi_areas
from gplandmark.kernel import (
    DEFAULT_FRACTION,
    FieldKernel,
    Kernel,
    ReweightedKernel,
    SquaredExponentialKernel,
    bandwidth,
    curvature_weight,
)
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.field import TOLERANCE, check_tolerance
from gplandmark.kernel.weight import check_mixture
from gplandmark.loops import COMPILED
from gplandmark.surface import Surface

__all__ = ["CurvatureName", "EngineName", "KernelName", "Settings", "WeightName"]

KernelName: TypeAlias = Literal["reweighted", "squared-exponential"]
WeightName: TypeAlias = Literal["curvature", "uniform"]
CurvatureName: TypeAlias = Literal["auto", "quadric", "normal-cycle", "angle-defect", "variation"]
EngineName: TypeAlias = Literal["auto", "field", "direct"]

# Without compiled loops a field pays only where direct sums would take minutes.
MANY_WITHOUT_COMPILER = 10_000


@dataclass(frozen=True)
class Settings:
    """How the covariance is made from a surface: steps 2 to 6 and 10 of Algorithm 1.

    Attributes
    ----------
    kernel : "reweighted", the paper's, or "squared-exponential", without any weight
    bandwidth : eps as a fraction of the surface area, above 0; 0.0003 to 0.03 is sensible.
        Smaller lets landmarks crowd at details, larger spreads them out
    eps : eps itself, in squared units of the file, in place of `bandwidth`
    weight : "curvature", the paper's w, or "uniform", by area alone
    curvature : the estimator, "auto" or a key of `gplandmark.geometry.ESTIMATORS`
    curvature_radius : its neighbourhood as a fraction of sqrt(area); None for its default
    curvature_neighbours : number of neighbours for "variation"; None for its default
    mixture : lambda, the share of the Gaussian curvature in the weight, 0 to 1
    exponent : rho, the exponent of the curvature in the weight, above 0
    engine : how the reweighted kernel is computed: "field" in time linear in the vertices,
        "direct" by sums over all pairs, "auto" for whichever is faster. They pick the same
        landmarks
    tolerance : entries of a field are within this share of the largest, 1e-12 to 1e-2

    Raises
    ------
    SettingsError
        A value is outside its range.
    """

    kernel: KernelName = "reweighted"
    bandwidth: float = DEFAULT_FRACTION
    eps: float | None = None
    weight: WeightName = "curvature"
    curvature: CurvatureName = "auto"
    curvature_radius: float | None = None
    curvature_neighbours: int | None = None
    mixture: float = 0.5
    exponent: float = 1.0
    engine: EngineName = "auto"
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        """Check every value once, before any work is done."""
        _check_choice("kernel", self.kernel, ("reweighted", "squared-exponential"))
        _check_choice("weight", self.weight, ("curvature", "uniform"))
        _check_choice("curvature estimator", self.curvature, ("auto", *ESTIMATORS))
        _check_choice("engine", self.engine, ("auto", "field", "direct"))
        check_bandwidth(self.bandwidth if self.eps is None else self.eps)
        check_mixture(self.mixture, self.exponent)
        check_tolerance(self.tolerance)

    def covariance(self, surface: Surface, weight: FloatArray | None = None) -> Kernel:
        """Make the kernel of a surface; `weight` (n,) replaces the weight of the settings."""
        eps = bandwidth(surface_area(surface), self.bandwidth) if self.eps is None else self.eps
        if self.kernel == "squared-exponential":
            if weight is not None:
                raise SettingsError(
                    "The squared exponential kernel has no weight. "
                    "Leave the weight out, or use the reweighted kernel."
                )
            return SquaredExponentialKernel(surface.points, eps)
        masses = self.masses(surface, weight)
        if self._has_field(surface):
            return FieldKernel.of(surface.points, masses, eps, tolerance=self.tolerance)
        return ReweightedKernel(surface.points, masses, eps)

    def _has_field(self, surface: Surface) -> bool:
        if self.engine != "auto":
            return self.engine == "field"
        if COMPILED is not None:
            return True
        if surface.vertex_count > MANY_WITHOUT_COMPILER:
            warnings.warn(
                "The compiled loops were not built when gplandmark was installed: this takes some "
                "twenty times longer. Install a C compiler and then gplandmark again.",
                GplandmarkWarning,
                stacklevel=3,
            )
        return surface.vertex_count > MANY_WITHOUT_COMPILER

    def masses(self, surface: Surface, weight: FloatArray | None = None) -> FloatArray:
        """Return w(x_k) nu(x_k) of every vertex, shape (n,), with sum 1: the diagonal of Lambda."""
        areas = voronoi_areas(surface)
        if weight is None:
            weight = self._weight(surface, areas)
        masses = _checked_weight(weight, surface) * areas
        total = masses.sum()
        if not total > 0:
            raise SettingsError(
                "The weight is zero on the whole surface. Give some vertex a weight."
            )
        return np.asarray(masses / total)

    def _weight(self, surface: Surface, areas: FloatArray) -> FloatArray:
        if self.weight == "uniform":
            return np.ones(surface.vertex_count)
        curvature = estimate_curvature(
            surface,
            self.curvature,
            radius=self.curvature_radius,
            neighbours=self.curvature_neighbours,
        )
        return curvature_weight(curvature, areas, mixture=self.mixture, exponent=self.exponent)


def _check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingsError(f"There is no {what} '{value}'. Choose one of {', '.join(choices)}.")


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
