# SPDX-License-Identifier: MIT
"""What is not bone, painted by a person: cracks, plaster, matrix."""

from dataclasses import dataclass, replace

import numpy as np

from gplandmark.mesh.suspicious_regions import suspicious_regions
from gplandmark.numerics.arrays import BoolArray
from gplandmark.visual.editor.editor import Editor
from gplandmark.visual.editor.state import Location, mask_from_bytes, mask_to_bytes


@dataclass(frozen=True)
class NotBoneEditor:
    """Paints on the surface of an editor what is not bone; every edit can be undone there."""

    editor: Editor

    @property
    def mask(self) -> BoolArray:
        """Vertices of the surface (n,) that are not bone."""
        return mask_from_bytes(self.editor.state.not_bone, self.editor.surface.vertex_count)

    def paint(self, place: Location, radius: float, *, joined: bool = False) -> None:
        """Paint around a place, on this side of a thin bone; joined strokes are undone together."""
        self._brush(place, radius, True, "paint not bone", joined)

    def erase(self, place: Location, radius: float, *, joined: bool = False) -> None:
        """Erase the paint around a place."""
        self._brush(place, radius, False, "erase not bone", joined)

    def clear(self) -> None:
        """Erase all of it."""
        self._change(np.zeros(self.editor.surface.vertex_count, dtype=bool), "clear not bone")

    def propose(self) -> int:
        """Paint the suspicious regions of the scan; returns how many there are."""
        regions = suspicious_regions(self.editor.surface)
        mask = self.mask
        for each in regions:
            mask[each.vertices] = True
        self._change(mask, "paint suspicious regions")
        return len(regions)

    def _brush(self, place: Location, radius: float, to: bool, edit: str, joined: bool) -> None:
        mask = self.mask
        mask[self.editor.finder.disc(place, radius)] = to
        self._change(mask, edit, joined)

    def _change(self, mask: BoolArray, edit: str, joined: bool = False) -> None:
        state = replace(self.editor.state, not_bone=mask_to_bytes(mask))
        self.editor.change(state, edit, joined)
