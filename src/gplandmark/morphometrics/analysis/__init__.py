# SPDX-License-Identifier: MIT
"""Statistics of shape, once the same landmarks are known on every specimen.

`align` takes position, size and orientation out; the rest works on what it returns.
"""

from gplandmark.io.homology import UNTOLD, is_untold, unmatched
from gplandmark.morphometrics.analysis.analysis import Analysis, analyse
from gplandmark.morphometrics.analysis.continuous_procrustes import Continuous, continuous_distances
from gplandmark.morphometrics.analysis.groups import (
    Classification,
    groups_of,
    nearest_neighbour,
    read_groups,
)
from gplandmark.morphometrics.analysis.missing_landmarks import warped
from gplandmark.morphometrics.analysis.permutation import Mrpp, mrpp
from gplandmark.morphometrics.analysis.principal_components import Components, principal_components
from gplandmark.morphometrics.analysis.procrustes import Aligned, align, mirrored_by_reflection
from gplandmark.morphometrics.analysis.shape_distances import (
    continuous_distance,
    procrustes_distances,
)

__all__ = [
    "UNTOLD",
    "Aligned",
    "Analysis",
    "Classification",
    "Components",
    "Continuous",
    "Mrpp",
    "align",
    "analyse",
    "continuous_distance",
    "continuous_distances",
    "groups_of",
    "is_untold",
    "mirrored_by_reflection",
    "mrpp",
    "nearest_neighbour",
    "principal_components",
    "procrustes_distances",
    "read_groups",
    "unmatched",
    "warped",
]
