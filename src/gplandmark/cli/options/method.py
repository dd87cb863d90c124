# SPDX-License-Identifier: MIT
"""The options that describe the method, and what they become."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gplandmark.cli.options.groups import adding
from gplandmark.errors import SettingsError
from gplandmark.io.region_files import RegionOptions
from gplandmark.landmarks import PRESETS, MethodSettings, Settings, preset
from gplandmark.landmarks.settings import KERNELS, WEIGHTING
from gplandmark.mesh import BOUNDARIES, ESTIMATORS, LAPLACIANS, cached_in
from gplandmark.mesh.spectrum import CACHE_VARIABLE

__all__ = ["GAUSSIAN_PROCESS", "check_alone", "is_method_given", "method_options", "settings_from"]


def _use_cache(context: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        context.with_resource(cached_in(folder))


METHOD = (
    click.option(
        "--preset", type=click.Choice(list(PRESETS)), default="paper", show_default=True,
        help="The paper's method, or the authors' published code, with and without its curvature "
        "weight, to reproduce published results.",
    ),
    click.option(
        "--kernel", type=click.Choice(list(KERNELS)),
        help=f"Covariance. {' '.join(f'{name}: {each.summary}.' for name, each in KERNELS.items())}"
        "  [default: reweighted]",
    ),
    click.option(
        "--bandwidth", type=float, metavar="FRACTION",
        help="How far a landmark reaches: eps as a fraction of the surface area.  [default: 0.008]",
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
        help="Curvature estimator.  [default: auto: quadric, above 30,000 vertices normal-cycle; "
        "of bare points patch, beyond space variation]",
    ),
    click.option(
        "--curvature-radius", type=float, metavar="FRACTION",
        help="Size of its neighbourhood as a fraction of sqrt(area), for quadric (0.06), "
        "normal-cycle (0.018) and patch (0.06).",
    ),
    click.option(
        "--curvature-neighbours", type=int, metavar="K",
        help="Number of neighbours for variation (10).",
    ),
    click.option(
        "--lambda", "mixture", type=float, metavar="SHARE",
        help="Share of the Gaussian against the mean curvature, 0 to 1.  [default: 0.5]",
    ),
    click.option(
        "--rho", "exponent", type=float, metavar="EXPONENT",
        help="Exponent of the curvature, above 0.  [default: 1]",
    ),
    click.option(
        "--engine", type=click.Choice(["auto", "field", "direct"]),
        help="How the kernel is computed: 'field' in time linear in the vertices, 'direct' by sums "
        "over all pairs. The landmarks are the same.  [default: auto]",
    ),
    click.option(
        "--neighbours", type=int, metavar="K",
        help="Number of neighbours for --kernel graph.  [default: 500]",
    ),
    click.option(
        "--tolerance", type=float, metavar="SHARE",
        help="Accuracy of the kernel's entries with --engine field, 1e-12 to 1e-2.  "
        "[default: 1e-8]",
    ),
    click.option(
        "--laplacian", type=click.Choice(LAPLACIANS),
        help="Operator of the kernels on the surface itself: 'robust' takes slivers and edges of "
        "three triangles.  [default: robust]",
    ),
    click.option(
        "--boundary", type=click.Choice(BOUNDARIES),
        help="What those kernels do at an open rim: 'dirichlet' keeps landmarks away from it, "
        "'neumann' draws them to it.  [default: dirichlet]",
    ),
    click.option(
        "--eigenpairs", type=int, metavar="K",
        help="How many eigenpairs they use.  [default: chosen from the bandwidth, at most 1000]",
    ),
    *(
        click.option(
            f"--{each.name}", type=float, metavar=each.metadata["metavar"],
            help=f"{each.metadata['help']}.  [default: {each.default:g}]",
        )
        for each in fields(Settings)
        if "help" in each.metadata
    ),
    click.option(
        "--cache", type=click.Path(path_type=Path), metavar="FOLDER", envvar=CACHE_VARIABLE,
        callback=_use_cache, expose_value=False,
        help="Keep eigenpairs in this folder and find them there again; also by the environment "
        f"variable {CACHE_VARIABLE}.",
    ),
)  # fmt: skip


OPTION_NAMES = {"mixture": "--lambda", "exponent": "--rho"}

method_options = adding(METHOD, "Method")


def is_method_given(weight: str | None, changes: dict[str, Any]) -> bool:
    """Tell whether an option says how the covariance is made, so that no record has to."""
    source = click.get_current_context().get_parameter_source("preset")
    given = any(value is not None for value in (weight, *changes.values()))
    return given or source is not ParameterSource.DEFAULT


def settings_from(
    preset_name: str, weight: str | None, changes: dict[str, Any]
) -> tuple[MethodSettings, Path | None]:
    """Settings from the options that were given, and the file of the weight if it is one."""
    chosen = preset(preset_name)
    given = {name: value for name, value in changes.items() if value is not None}
    if weight in ("curvature", "uniform"):
        given["weight"] = weight
    weight_file = Path(weight) if weight is not None and "weight" not in given else None
    if isinstance(chosen, Settings):
        _check_use(given, weight_file)
        return replace(chosen, **given), weight_file
    if given or weight is not None:
        raise SettingsError(
            f"The preset '{preset_name}' fixes the whole method. "
            "Leave the options for kernel, bandwidth, weight and curvature out."
        )
    return chosen, None


def _check_use(given: dict[str, Any], weight_file: Path | None) -> None:
    """Refuse options that would have no effect beside others."""
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
    method: str,
    settings: MethodSettings,
    files: Sequence[Path | None],
    regions: RegionOptions,
    others: Sequence[float],
) -> None:
    """Refuse options of the paper's method beside another sampler, where they do nothing.

    `others` are further options that are 0 or False where nobody gave them.
    """
    is_given = regions != RegionOptions() or any(others)
    if settings != Settings() or any(each is not None for each in files) or is_given:
        raise SettingsError(
            f"The method '{method}' takes only a count and a seed. Leave the options for kernel, "
            "weight, curvature, where landmarks may go (as --exclude), --start, --until and "
            "--between-vertices out."
        )
