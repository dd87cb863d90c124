# SPDX-License-Identifier: MIT
"""Gaussian and mean curvature at vertices, by interchangeable estimators.

=============  ==========================================================================
auto           normal-cycle at every resolution: the default; of bare clouds patch, beyond
               three dimensions variation
normal-cycle   curvature tensor of Cohen-Steiner and Morvan, smoothed at a fixed size:
               what the paper cites, and fast at a million vertices
quadric        quadric fitted to connected vertices within a ball of fixed size: keeps both
               sides of a thin wall apart, but its cost per vertex grows with the resolution
angle-defect   angle defect and cotangent operator: exact on average, noisy at a vertex
patch          quadratic patch fitted to the points in a ball: the default for bare clouds
variation      spread of the k nearest neighbours along their normal: any dimension
=============  ==========================================================================

A new estimator is one function from a surface to a `Curvature`, and one line in `ESTIMATORS`.
"""

from collections.abc import Callable, Mapping

from gplandmark.errors import SettingsError
from gplandmark.mesh.clouds import intrinsic_dimension
from gplandmark.mesh.curvature.estimate import Curvature
from gplandmark.mesh.curvature.from_points import PATCH_RADIUS, patch, surface_variation, variation
from gplandmark.mesh.curvature.from_triangles import (
    NORMAL_CYCLE_RADIUS,
    QUADRIC_RADIUS,
    angle_defect,
    normal_cycle,
    quadric,
)
from gplandmark.mesh.surface import Surface

__all__ = [
    "ESTIMATORS",
    "Curvature",
    "estimate_curvature",
    "estimator_for",
    "surface_variation",
]

ESTIMATORS: Mapping[str, Callable[..., Curvature]] = {
    "quadric": quadric,
    "normal-cycle": normal_cycle,
    "angle-defect": angle_defect,
    "patch": patch,
    "variation": variation,
}

RADIUS: Mapping[str, float] = {
    "quadric": QUADRIC_RADIUS,
    "normal-cycle": NORMAL_CYCLE_RADIUS,
    "patch": PATCH_RADIUS,
}


def estimator_for(surface: Surface, estimator: str) -> str:
    """Resolve "auto": normal-cycle; for clouds patch, or variation beyond three dimensions.

    It does not depend on the number of vertices, so that no landmark jumps as a mesh is refined.
    """
    if estimator != "auto":
        return estimator
    if surface.triangles is None:
        return "variation" if intrinsic_dimension(surface) is None else "patch"
    return "normal-cycle"


def estimate_curvature(
    surface: Surface,
    estimator: str = "auto",
    *,
    radius: float | None = None,
    neighbours: int | None = None,
) -> Curvature:
    """Curvature of a surface at its vertices, by the estimator of that name.

    Parameters
    ----------
    estimator : "auto" or a key of `ESTIMATORS`
    radius : size of the neighbourhood as a fraction of sqrt(area), for "quadric",
        "normal-cycle" and "patch"; by default the estimator's own
    neighbours : number of neighbours, for "variation"; by default the estimator's own

    Raises
    ------
    SettingsError
        The estimator is unknown, or has no neighbourhood of the requested kind.
    """
    estimator = estimator_for(surface, estimator)
    if estimator not in ESTIMATORS:
        raise SettingsError(
            f"There is no curvature estimator '{estimator}'. "
            f"Choose auto or one of {', '.join(ESTIMATORS)}."
        )
    if radius is not None and estimator not in RADIUS:
        raise SettingsError(f"The curvature estimator '{estimator}' has no radius. Leave it out.")
    if neighbours is not None and estimator != "variation":
        raise SettingsError(
            f"The curvature estimator '{estimator}' counts no neighbours. Leave them out."
        )
    options = {"radius": radius, "neighbours": neighbours}
    given = {name: value for name, value in options.items() if value is not None}
    return ESTIMATORS[estimator](surface, **given)
