# SPDX-License-Identifier: MIT
"""A region and the question that it answers, as it goes into the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gplandmark.arrays import BoolArray
from gplandmark.errors import SettingsError
from gplandmark.surface import Surface

__all__ = ["Region", "allowed_by"]


@dataclass(frozen=True, eq=False)
class Region:
    """Vertices that are kept free of landmarks, or the only ones that may have any.

    Attributes
    ----------
    mask : (n,) the vertices that lie in the region
    name : what kind of region it is, as "rim"
    asked : its parameters, as plain numbers and texts
    is_kept : True where landmarks go into the region only, False where they stay out of it
    """

    mask: BoolArray
    name: str
    asked: Mapping[str, Any] = field(default_factory=dict)
    is_kept: bool = False

    def allows(self) -> BoolArray:
        """Tell which vertices the region leaves for landmarks, shape (n,)."""
        return self.mask if self.is_kept else ~self.mask

    def describe(self) -> dict[str, Any]:
        """Return what was asked, and how many vertices lie in the region."""
        use = "only" if self.is_kept else "exclude"
        return {use: self.name, **self.asked, "vertices": int(np.count_nonzero(self.mask))}


def allowed_by(surface: Surface, regions: Sequence[Region]) -> BoolArray:
    """Tell which vertices every region allows, shape (n,).

    Raises
    ------
    SettingsError
        A mask does not have one entry per vertex.
    """
    allowed = np.ones(surface.vertex_count, dtype=bool)
    for region in regions:
        if region.mask.shape != allowed.shape or region.mask.dtype != bool:
            raise SettingsError(
                f"The region '{region.name}' must be a mask of {surface.vertex_count:,} booleans, "
                f"one per vertex of {surface.name}, got {region.mask.dtype} of shape "
                f"{region.mask.shape}."
            )
        allowed &= region.allows()
    return allowed
