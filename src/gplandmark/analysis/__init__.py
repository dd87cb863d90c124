# SPDX-License-Identifier: MIT
"""Statistics of shape, once the same landmarks are known on every specimen.

`align` takes position, size and orientation out; the rest works on what it returns.
"""

from gplandmark.analysis.alignment import Aligned, align, mirrored_by_reflection
from gplandmark.analysis.classification import Classification, nearest_neighbour
from gplandmark.analysis.components import Components, principal_components
from gplandmark.analysis.continuous import Continuous, continuous_distances
from gplandmark.analysis.distances import continuous_distance, procrustes_distances
from gplandmark.analysis.groups import groups_of, read_groups
from gplandmark.analysis.homology import UNTOLD, is_untold, unmatched
from gplandmark.analysis.outcome import Analysis, analyse
from gplandmark.analysis.permutation import Mrpp, mrpp
from gplandmark.analysis.splines import warped

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
