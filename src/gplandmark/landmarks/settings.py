# SPDX-License-Identifier: MIT
"""Every parameter of the paper's method, with its default, range and unit."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import DEFAULT_FRACTION
from gplandmark.gp.kernels.diffusion import check_alpha
from gplandmark.gp.kernels.field_kernel import TOLERANCE, check_tolerance
from gplandmark.gp.kernels.graph import check_neighbours
from gplandmark.gp.kernels.stationary import check_smoothness
from gplandmark.gp.kernels.weight import check_bandwidth, check_mixture
from gplandmark.mesh import BOUNDARIES, ESTIMATORS, LAPLACIANS
from gplandmark.mesh.laplacian import LaplacianName
from gplandmark.mesh.spectrum import BoundaryName

__all__ = ["CurvatureName", "EngineName", "KernelName", "Settings", "WeightName"]

KernelName: TypeAlias = Literal[
    "reweighted",
    "squared-exponential",
    "graph",
    "reweighted-heat",
    "heat",
    "matern",
    "spectral-matern",
    "diffusion",
]
WeightName: TypeAlias = Literal["curvature", "uniform"]
CurvatureName: TypeAlias = Literal[
    "auto", "quadric", "normal-cycle", "angle-defect", "patch", "variation"
]
EngineName: TypeAlias = Literal["auto", "field", "direct"]


@dataclass(frozen=True)
class Settings:
    """How the covariance is made from a surface: steps 2 to 6 and 10 of Algorithm 1.

    Attributes
    ----------
    kernel : "reweighted", the paper's, or "squared-exponential", without any weight; "graph",
        the paper's cut at nearest neighbours; their forms on the surface itself,
        "reweighted-heat" and "heat"; "matern" in space and "spectral-matern" on the surface;
        "diffusion" for unevenly sampled points
    bandwidth : eps as a fraction of the surface area, above 0; 0.0003 to 0.03 is sensible.
        Smaller lets landmarks crowd at details, larger spreads them out
    eps : eps itself, in squared units of the file, in place of `bandwidth`
    weight : "curvature", the paper's w, or "uniform", by area alone
    curvature : the estimator, "auto" or a key of `gplandmark.mesh.ESTIMATORS`
    curvature_radius : its neighbourhood as a fraction of sqrt(area); None for its default
    curvature_neighbours : number of neighbours for "variation"; None for its default
    mixture : lambda, the share of the Gaussian curvature in the weight, 0 to 1
    exponent : rho, the exponent of the curvature in the weight, above 0
    engine : how the reweighted kernel is computed: "field" in time linear in the vertices,
        "direct" by sums over all pairs, "auto" for whichever is faster. They pick the same
        landmarks
    neighbours : edges of every point with kernel "graph"; None for 500, or all there are
    tolerance : entries of a field are within this share of the largest, 1e-12 to 1e-2
    laplacian : of the spectral kernels, "robust" or "cotangent"
    boundary : of the spectral kernels on an open rim: "dirichlet", the paper's, keeps
        landmarks away from it; "neumann" draws them to it
    eigenpairs : how many the spectral kernels use; None for as many as the bandwidth asks for
    smoothness : nu of the Matern kernels, above 0
    alpha : of the diffusion kernel, 0 to 1; 1 removes the density of the sampling

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
    neighbours: int | None = None
    tolerance: float = TOLERANCE
    laplacian: LaplacianName = "robust"
    boundary: BoundaryName = "dirichlet"
    eigenpairs: int | None = None
    smoothness: float = 2.5
    alpha: float = 1.0

    def __post_init__(self) -> None:
        """Check every value once, before any work is done."""
        _check_choice("kernel", self.kernel, get_args(KernelName))
        _check_choice("weight", self.weight, get_args(WeightName))
        _check_choice("curvature estimator", self.curvature, ("auto", *ESTIMATORS))
        _check_choice("engine", self.engine, get_args(EngineName))
        check_bandwidth(self.bandwidth if self.eps is None else self.eps)
        check_mixture(self.mixture, self.exponent)
        check_tolerance(self.tolerance)
        if self.neighbours is not None:
            check_neighbours(self.neighbours)
        _check_choice("Laplacian", self.laplacian, LAPLACIANS)
        _check_choice("boundary condition", self.boundary, BOUNDARIES)
        check_smoothness(self.smoothness)
        check_alpha(self.alpha)
        if self.eigenpairs is not None and self.eigenpairs < 1:
            raise SettingsError(
                f"The number of eigenpairs must be at least 1, got {self.eigenpairs}."
            )


def _check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SettingsError(f"There is no {what} '{value}'. Choose one of {', '.join(choices)}.")
