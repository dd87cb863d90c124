# SPDX-License-Identifier: MIT
"""Every parameter of the paper's method, and the table of kernels.

To add a kernel, write its class in `gplandmark.gp.kernels` and its entry in `KERNELS`. A parameter
of its own is a field of `Settings` with a help text. The command line, the memory estimate, the
pictures and the summaries read the table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels import DEFAULT_FRACTION, DiffusionKernel, Kernel
from gplandmark.gp.kernels.field_kernel import TOLERANCE, check_tolerance
from gplandmark.gp.kernels.graph import check_neighbours
from gplandmark.gp.kernels.reweighted import check_alpha
from gplandmark.gp.kernels.stationary import (
    MaternKernel,
    SquaredExponentialKernel,
    check_smoothness,
)
from gplandmark.gp.kernels.weight import check_bandwidth, check_mixture
from gplandmark.landmarks.surface_kernels import (
    KernelInputs,
    graph_on,
    heat_on,
    reweighted_heat_on,
    reweighted_on,
    spectral_matern_on,
)
from gplandmark.mesh import BOUNDARIES, ESTIMATORS, LAPLACIANS
from gplandmark.mesh.laplacian import LaplacianName
from gplandmark.mesh.spectrum import BoundaryName
from gplandmark.numerics.arguments import whole_number

KernelName: TypeAlias = Literal[
    "reweighted", "squared-exponential", "graph", "reweighted-heat", "heat", "matern",
    "spectral-matern", "diffusion",
]  # fmt: skip
WeightName: TypeAlias = Literal["curvature", "uniform"]
CurvatureName: TypeAlias = Literal[
    "auto", "quadric", "normal-cycle", "angle-defect", "patch", "variation"
]
EngineName: TypeAlias = Literal["auto", "field", "direct"]


def _option(default: float, metavar: str, text: str) -> Any:
    """A parameter of some kernels, which the command line offers under its name."""
    return field(default=default, metadata={"metavar": metavar, "help": text})


@dataclass(frozen=True)
class Settings:
    """How the covariance is made from a surface: steps 2 to 6 and 10 of Algorithm 1.

    Attributes
    ----------
    kernel : a key of `KERNELS`; "reweighted" is the paper's
    bandwidth : eps as a fraction of the surface area, above 0; 0.0003 to 0.03 is sensible.
        Smaller lets landmarks crowd at details, larger spreads them out
    eps : eps itself, in squared units of the file, in place of `bandwidth`
    weight : "curvature", the paper's w, or "uniform", by area alone
    curvature : the estimator, "auto" or a key of `gplandmark.mesh.ESTIMATORS`
    curvature_radius : its neighbourhood as a fraction of sqrt(area); None for its default
    curvature_neighbours : number of neighbours for "variation"; None for its default
    mixture : lambda, the fraction of the Gaussian curvature in the weight, 0 to 1
    exponent : rho, the exponent of the curvature in the weight, above 0
    engine : how the reweighted kernel is computed: "field" in time linear in the vertices,
        "direct" by sums over all pairs, "auto" for whichever is faster. They pick the same
        landmarks
    neighbours : edges of every point with kernel "graph"; None for 500, or all there are
    tolerance : entries of a field are within this fraction of the largest, 1e-12 to 1e-2
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
    smoothness: float = _option(
        2.5, "NU", "Smoothness of the Matern kernels, above 0; 0.5 is rough"
    )
    alpha: float = _option(
        1.0, "FRACTION", "How much of the sampling density the diffusion kernel removes, 0 to 1"
    )

    def __post_init__(self) -> None:
        _check_choice("kernel", self.kernel, tuple(KERNELS))
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
        count = self.eigenpairs
        if count is not None and whole_number(count, "The number of eigenpairs") < 1:
            raise SettingsError(f"The number of eigenpairs must be at least 1, got {count}.")

    @property
    def is_weighted(self) -> bool:
        """Whether the kernel has a weight at all, of curvature or another."""
        return "weight" in KERNELS[self.kernel].options

    @property
    def bytes_per_vertex(self) -> int:
        """Memory that the kernel takes for each vertex."""
        return KERNELS[self.kernel].bytes_per_vertex


def _check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise SettingsError(f"There is no {what} '{value}'. Choose one of {', '.join(choices)}.")


@dataclass(frozen=True)
class KernelSpec:
    """All that depends on which kernel it is.

    Attributes
    ----------
    summary : one phrase, for the help of the command line
    build : makes the kernel from what a surface gives and from the settings
    options : fields of `Settings` that it uses, besides the bandwidth
    bytes_per_vertex : memory that it takes for each vertex, besides the mesh and the factor
    """

    summary: str
    build: Callable[[KernelInputs, Settings], Kernel]
    options: frozenset[str] = frozenset()
    bytes_per_vertex: int = 0


WEIGHTING = frozenset(
    ("weight", "curvature", "curvature_radius", "curvature_neighbours", "mixture", "exponent")
)
SPECTRAL = frozenset(("laplacian", "boundary", "eigenpairs"))
DENSE = 16_000  # bytes of a vertex with 1000 eigenpairs, or with edges to 500 neighbours

KERNELS: Mapping[str, KernelSpec] = {
    "reweighted": KernelSpec(
        "the paper's, weighted by curvature",
        lambda on, chosen: reweighted_on(on, chosen.engine, chosen.tolerance),
        WEIGHTING | {"engine", "tolerance"},
    ),
    "squared-exponential": KernelSpec(
        "without any weight", lambda on, _: SquaredExponentialKernel(on.points, on.eps)
    ),
    "graph": KernelSpec(
        "the paper's, truncated to nearest neighbours",
        lambda on, chosen: graph_on(on, chosen.neighbours),
        WEIGHTING | {"neighbours"},
        DENSE,
    ),
    "reweighted-heat": KernelSpec(
        "the paper's on the surface itself, so that two sides of a thin bone stay independent",
        lambda on, _: reweighted_heat_on(on),
        WEIGHTING | SPECTRAL,
        DENSE,
    ),
    "heat": KernelSpec("the same without any weight", lambda on, _: heat_on(on), SPECTRAL, DENSE),
    "matern": KernelSpec(
        "of any smoothness, in space",
        lambda on, chosen: MaternKernel(on.points, on.eps, chosen.smoothness),
        frozenset({"smoothness"}),
    ),
    "spectral-matern": KernelSpec(
        "the same on the surface itself",
        lambda on, chosen: spectral_matern_on(on, chosen.smoothness),
        SPECTRAL | {"smoothness"},
        DENSE,
    ),
    "diffusion": KernelSpec(
        "for unevenly sampled points",
        lambda on, chosen: DiffusionKernel(on.points, on.eps, chosen.alpha),
        frozenset({"alpha"}),
        DENSE,
    ),
}
"""Every kernel by its name."""
