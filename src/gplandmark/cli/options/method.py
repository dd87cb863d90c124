# SPDX-License-Identifier: MIT
"""Options of the method, and the settings they become."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gplandmark.cli.options.common import bundled, file_option
from gplandmark.errors import SettingsError
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.vertex_lists import read_weight
from gplandmark.landmarks import PRESETS, MethodSettings, Settings, preset
from gplandmark.landmarks.settings import KERNELS, WEIGHTING
from gplandmark.mesh import BOUNDARIES, ESTIMATORS, LAPLACIANS, cached_in
from gplandmark.mesh.spectrum import CACHE_VARIABLE
from gplandmark.numerics.arrays import FloatArray


def _use_cache(context: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        context.with_resource(cached_in(folder))


METHOD = (
    click.option(
        "--preset", type=click.Choice(list(PRESETS)), default="paper",
        help="The paper's method; or the authors' published code, with or without its curvature "
        "weight, to reproduce published results.",
    ),
    click.option(
        "--kernel", type=click.Choice(list(KERNELS)),
        help=f"Covariance. {' '.join(f'{name}: {each.summary}.' for name, each in KERNELS.items())}"
        "  [default: reweighted]",
    ),
    click.option(
        "--bandwidth", type=float, metavar="FRACTION",
        help="How far the influence of a landmark reaches: eps as a fraction of the surface area.  "
        "[default: 0.008]",
    ),
    click.option(
        "--eps", type=float, metavar="AREA",
        help="eps itself, in squared units of the file, instead of --bandwidth.",
    ),
    click.option(
        "--weight", metavar="NAME|FILE",
        help="'curvature' (the paper's), 'uniform', or a file with one number per vertex "
        "(.npy or text).  [default: curvature]",
    ),
    click.option(
        "--curvature", type=click.Choice(["auto", *ESTIMATORS]),
        help="Curvature estimator. auto: normal-cycle; for point clouds patch, or variation above "
        "three dimensions.  [default: auto]",
    ),
    click.option(
        "--curvature-radius", type=float, metavar="FRACTION",
        help="Radius of the estimator as a fraction of sqrt(area).  [default: 0.018 for "
        "normal-cycle, 0.06 for quadric and patch]",
    ),
    click.option(
        "--curvature-neighbours", type=int, metavar="K",
        help="Number of neighbours for variation.  [default: 10]",
    ),
    click.option(
        "--lambda", "mixture", type=float, metavar="FRACTION",
        help="Fraction of Gaussian curvature in the weight, 0 to 1; the rest is mean curvature.  "
        "[default: 0.5]",
    ),
    click.option(
        "--rho", "exponent", type=float, metavar="EXPONENT",
        help="Exponent of the curvature, above 0.  [default: 1]",
    ),
    click.option(
        "--engine", type=click.Choice(["auto", "field", "direct"]),
        help="How to compute the kernel: 'field' in time linear in the number of vertices, "
        "'direct' by sums over all pairs. Both give the same landmarks.  [default: auto]",
    ),
    click.option(
        "--neighbours", type=int, metavar="K",
        help="Number of neighbours for --kernel graph.  [default: 500]",
    ),
    click.option(
        "--tolerance", type=float, metavar="FRACTION",
        help="Accuracy of the kernel's entries with --engine field, 1e-12 to 1e-2.  "
        "[default: 1e-8]",
    ),
    click.option(
        "--laplacian", type=click.Choice(LAPLACIANS),
        help="Laplacian of the kernels along the surface; 'robust' copes with slivers and with "
        "edges of three triangles.  [default: robust]",
    ),
    click.option(
        "--boundary", type=click.Choice(BOUNDARIES),
        help="Boundary condition of these kernels at an open rim: 'dirichlet' keeps landmarks away "
        "from it, 'neumann' attracts them.  [default: dirichlet]",
    ),
    click.option(
        "--eigenpairs", type=int, metavar="K",
        help="Number of eigenpairs of these kernels.  [default: chosen from the bandwidth, at most "
        "1000]",
    ),
    *(
        click.option(
            f"--{each.name}", type=float, metavar=each.metadata["metavar"],
            help=f"{each.metadata['help']}.  [default: {each.default:g}]",
        )
        for each in fields(Settings)
        if "help" in each.metadata
    ),
    file_option(
        "--cache", metavar="FOLDER", envvar=CACHE_VARIABLE,
        callback=_use_cache, expose_value=False,
        help="Store eigenpairs in this folder and reuse them. The environment variable "
        f"{CACHE_VARIABLE} does the same.",
    ),
)  # fmt: skip


OPTION_NAMES = {"mixture": "--lambda", "exponent": "--rho"}


@dataclass(frozen=True)
class ChosenMethod:
    """The method that the options describe.

    Attributes
    ----------
    settings : all parameters
    weight_file : the file of the weight, if it is one
    is_given : whether an option describes the method, which then overrides that of a record
    """

    settings: MethodSettings
    weight_file: Path | None
    is_given: bool

    @property
    def overriding(self) -> MethodSettings | None:
        """The settings, or None if those of a record are better."""
        return self.settings if self.is_given else None

    def read_weight(self) -> FloatArray | None:
        """Read the weight of every vertex from its file; None if there is none."""
        return None if self.weight_file is None else read_weight(self.weight_file)


def _chosen_method(options: dict[str, Any]) -> ChosenMethod:
    preset_name, weight = options.pop("preset"), options.pop("weight")
    names = [each.name for each in fields(Settings) if each.name in options]
    given = {name: value for name in names if (value := options.pop(name)) is not None}
    source = click.get_current_context().get_parameter_source("preset")
    is_given = bool(given) or weight is not None or source is not ParameterSource.DEFAULT
    return ChosenMethod(*_settings(preset_name, weight, given), is_given)


method_options = bundled(METHOD, "Method", "method", _chosen_method)


def _settings(
    preset_name: str, weight: str | None, given: dict[str, Any]
) -> tuple[MethodSettings, Path | None]:
    """Settings from the given options, and the file of the weight if there is one."""
    chosen = preset(preset_name)
    if weight in ("curvature", "uniform"):
        given["weight"] = weight
    weight_file = Path(weight) if weight is not None and "weight" not in given else None
    if isinstance(chosen, Settings):
        _check_use(given, weight_file)
        return replace(chosen, **given), weight_file
    if given or weight is not None:
        raise SettingsError(
            f"The preset '{preset_name}' fixes the whole method. "
            "Leave out the options for kernel, bandwidth, weight and curvature."
        )
    return chosen, None


def _check_use(given: dict[str, Any], weight_file: Path | None) -> None:
    """Refuse options that have no effect together with others."""
    if {"eps", "bandwidth"} <= given.keys():
        raise SettingsError("Give either --eps or --bandwidth, not both.")
    kernel = given.get("kernel", "reweighted")
    idle = frozenset().union(*(each.options for each in KERNELS.values())) - KERNELS[kernel].options
    _refuse(idle & given.keys(), f"the kernel '{kernel}' does not use it")
    if weight_file is not None and "weight" in idle:
        raise SettingsError(f"--weight would have no effect: the kernel '{kernel}' has no weight.")
    if weight_file is not None or given.get("weight") == "uniform":
        _refuse((WEIGHTING - {"weight"}) & given.keys(), "the weight replaces curvature")


def _refuse(unused: frozenset[str], reason: str) -> None:
    if unused:
        names = ", ".join(
            OPTION_NAMES.get(name, f"--{name.replace('_', '-')}") for name in sorted(unused)
        )
        raise SettingsError(f"{names} would have no effect: {reason}. Leave it out.")


GAUSSIAN_PROCESS = "gaussian-process"


def check_alone(
    sampler: str, method: ChosenMethod, regions: RegionOptions, others: Sequence[object]
) -> None:
    """Refuse options of the paper's method together with another sampler, which ignores them.

    `others` are further options, which count as given unless they are None, 0 or False.
    """
    is_changed = method.settings != Settings() or method.weight_file is not None
    if is_changed or regions != RegionOptions() or any(others):
        raise SettingsError(
            f"The method '{sampler}' takes only a count and a seed. Leave out the options for "
            "kernel, weight, curvature and regions (e.g. --exclude), --start, --until and "
            "--between-vertices."
        )
