# SPDX-License-Identifier: MIT
"""Where the voxels of a volume lie in space."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.numerics.arrays import FloatArray

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Grid:
    """Voxel centres in physical coordinates, in LPS, as ITK has them.

    The centre of voxel (i, j, k) lies at origin + direction @ (spacing * (i, j, k)).

    Attributes
    ----------
    size : voxels along x, y and z, the axes of the file
    spacing : distances of neighbouring voxels along these axes
    origin : (3,) centre of voxel (0, 0, 0)
    direction : (3, 3) orthonormal; its columns are the axes of the file in space
    """

    size: tuple[int, int, int]
    spacing: Triple
    origin: FloatArray
    direction: FloatArray

    @property
    def voxels(self) -> int:
        """How many voxels there are."""
        return self.size[0] * self.size[1] * self.size[2]

    @property
    def is_mirrored(self) -> bool:
        """Whether the axes of the file are left-handed."""
        return bool(np.linalg.det(self.direction) < 0)

    def physical(self, indices: FloatArray) -> FloatArray:
        """Physical coordinates (n, 3) of continuous voxel indices (n, 3), x first."""
        axes = self.direction * np.array(self.spacing)
        return np.asarray(indices @ axes.T + self.origin)

    def reduced(self, factor: int) -> "Grid":
        """The grid of blocks of factor x factor x factor voxels; the last may be incomplete."""
        if factor == 1:
            return self
        x, y, z = (-(-each // factor) for each in self.size)
        middle = np.full((1, 3), (factor - 1) / 2)
        wide, high, deep = (factor * each for each in self.spacing)
        return Grid((x, y, z), (wide, high, deep), self.physical(middle)[0], self.direction)

    def described(self) -> dict[str, Any]:
        """Return the grid as plain lists, ready for JSON."""
        return {
            "size": list(self.size),
            "spacing": [float(each) for each in self.spacing],
            "origin": self.origin.tolist(),
            "direction": self.direction.tolist(),
        }


def factor_within(grid: Grid, budget: int) -> int:
    """The side of the smallest blocks of voxels of which there are at most `budget`."""
    factor = max(1, int((grid.voxels / budget) ** (1 / 3)))
    while grid.reduced(factor).voxels > budget:
        factor += 1
    return factor
