# SPDX-License-Identifier: MIT
"""Regions of a surface: where landmarks may be placed, and where not.

Every function returns a mask, one boolean per vertex, so that ``|``, ``&`` and ``~`` combine them.
A `Region` is a mask with its name and parameters, for the record.
"""

from gplandmark.mesh.geodesics import rim_distances
from gplandmark.mesh.regions.painted import painted
from gplandmark.mesh.regions.region import Region, allowed_by, beyond_plane, inside_box, near_rim
from gplandmark.mesh.regions.visibility import visible_from_outside

__all__ = [
    "Region",
    "allowed_by",
    "beyond_plane",
    "inside_box",
    "near_rim",
    "painted",
    "rim_distances",
    "visible_from_outside",
]
