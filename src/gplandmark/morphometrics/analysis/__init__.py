# SPDX-License-Identifier: MIT
"""Shape statistics of specimens with homologous landmarks; import from this package.

`generalised_procrustes` removes position, size and orientation; the rest works on its result.
"""

from gplandmark.morphometrics.analysis.analyse import Analysis, analyse
from gplandmark.morphometrics.analysis.principal_components import Components, principal_components
from gplandmark.morphometrics.analysis.procrustes import (
    Aligned,
    generalised_procrustes,
    likely_mirror_images,
    thin_plate_spline,
)
from gplandmark.morphometrics.analysis.shape_distances import (
    ContinuousAnalysis,
    continuous_distance,
    continuous_distances,
    procrustes_distances,
)
from gplandmark.morphometrics.analysis.specimen_groups import (
    Classification,
    Mrpp,
    groups_of,
    mrpp,
    nearest_neighbour,
    read_groups,
)

__all__ = [
    "Aligned",
    "Analysis",
    "Classification",
    "Components",
    "ContinuousAnalysis",
    "Mrpp",
    "analyse",
    "continuous_distance",
    "continuous_distances",
    "generalised_procrustes",
    "groups_of",
    "likely_mirror_images",
    "mrpp",
    "nearest_neighbour",
    "principal_components",
    "procrustes_distances",
    "read_groups",
    "thin_plate_spline",
]
