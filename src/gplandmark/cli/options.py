# SPDX-License-Identifier: MIT
"""The options that describe the method, and what they become."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.errors import SettingsError
from gplandmark.files import read_landmarks
from gplandmark.files.formats import FORMATS
from gplandmark.geometry import ESTIMATORS
from gplandmark.landmarks import PRESETS, AuthorsSettings, Settings, nearest_vertices, preset
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.surface import Surface

__all__ = ["method_options", "read_indices", "read_start", "read_weight", "settings_from"]

Command = TypeVar("Command", bound=Callable[..., Any])

METHOD = (
    click.option(
        "--preset", type=click.Choice(list(PRESETS)), default="paper", show_default=True,
        help="The paper's method, or the authors' published code, with and without its curvature "
        "weight, to reproduce published results.",
    ),
    click.option(
        "--kernel", type=click.Choice(["reweighted", "squared-exponential"]),
        help="Covariance: the paper's, weighted by curvature, or the plain squared exponential.  "
        "[default: reweighted]",
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
        help="Curvature estimator.  [default: auto: quadric, above 30,000 vertices normal-cycle]",
    ),
    click.option(
        "--curvature-radius", type=float, metavar="FRACTION",
        help="Size of its neighbourhood as a fraction of sqrt(area), for quadric (0.06) and "
        "normal-cycle (0.018).",
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
        "--tolerance", type=float, metavar="SHARE",
        help="Accuracy of the kernel's entries with --engine field, 1e-12 to 1e-2.  "
        "[default: 1e-8]",
    ),
)  # fmt: skip


def method_options(command: Command) -> Command:
    """Add the options of `METHOD` to a command."""
    for option in reversed(METHOD):
        command = option(command)
    return command


def settings_from(
    preset_name: str, weight: str | None, changes: dict[str, Any]
) -> tuple[Settings | AuthorsSettings, Path | None]:
    """Settings from the options that were given, and the file of the weight if it is one."""
    chosen = preset(preset_name)
    given = {name: value for name, value in changes.items() if value is not None}
    if weight in ("curvature", "uniform"):
        given["weight"] = weight
    weight_file = Path(weight) if weight is not None and "weight" not in given else None
    if isinstance(chosen, Settings):
        return replace(chosen, **given), weight_file
    if given or weight is not None:
        raise SettingsError(
            f"The preset '{preset_name}' fixes the whole method. "
            "Leave the options for kernel, bandwidth, weight and curvature out."
        )
    return chosen, None


def read_weight(path: Path) -> FloatArray:
    """Read one number per vertex from an .npy or a text file."""
    return np.asarray(_numbers(path), dtype=np.float64)


def read_indices(path: Path) -> IndexArray:
    """Read vertex numbers from an .npy or a text file, separated by space, comma or newline."""
    numbers = _numbers(path)
    if not np.equal(numbers, np.round(numbers)).all():
        raise SettingsError(f"{path} must hold vertex numbers, but some are not whole.")
    return numbers.astype(np.int64)


def read_start(path: Path, surface: Surface) -> tuple[IndexArray, float]:
    """Vertices of starting landmarks, and how far the farthest point was from its vertex."""
    if not path.name.lower().endswith(tuple(FORMATS)):
        return read_indices(path), 0.0
    landmarks = read_landmarks(path)
    nearest, distances = nearest_vertices(surface, landmarks.points)
    known = landmarks.vertices
    exact = (known != UNKNOWN_VERTEX) & (known < surface.vertex_count)
    exact[exact] = (surface.points[known[exact]] == landmarks.points[exact]).all(axis=1)
    vertices = np.where(exact, known, nearest)
    return vertices, float(np.max(np.where(exact, 0.0, distances), initial=0.0))


def _numbers(path: Path) -> FloatArray:
    try:
        if path.suffix.lower() == ".npy":
            numbers = np.load(path, allow_pickle=False)
        else:
            numbers = np.array(path.read_text().replace(",", " ").split(), dtype=np.float64)
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such file. Check the name.") from None
    except (OSError, ValueError):
        raise SettingsError(
            f"{path} cannot be read as numbers. Use an .npy file, or a text file with numbers only."
        ) from None
    return np.asarray(numbers, dtype=np.float64).ravel()
