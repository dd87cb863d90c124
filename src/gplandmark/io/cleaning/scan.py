# SPDX-License-Identifier: MIT
"""What a file holds, as it stands there: nothing is corrected yet."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.mesh.surface import Source
from gplandmark.numerics.arrays import FloatArray, IndexArray, number_outside

__all__ = ["Scan"]


@dataclass(frozen=True, eq=False)
class Scan:
    """Points and triangles of a file, in its numbering; coordinates may be NaN or infinite.

    Attributes
    ----------
    points : (n, d), d = 3 where there are triangles
    triangles : (m, 3) vertex numbers, or None for a bare cloud
    name : of the specimen
    source : the file, if any
    notes : what the reader had to decide, one sentence each

    Raises
    ------
    ScanError
        There is no vertex, or a triangle names one that does not exist.
    """

    points: FloatArray
    triangles: IndexArray | None = None
    name: str = "scan"
    source: Source | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Bring the arrays to their types, and check what no rule could mend."""
        object.__setattr__(self, "points", np.ascontiguousarray(self.points, dtype=np.float64))
        if self.triangles is None:
            return
        triangles = np.ascontiguousarray(self.triangles, dtype=np.int64).reshape(-1, 3)
        object.__setattr__(self, "triangles", triangles)
        count = len(self.points)
        if (bad := number_outside(triangles, count)) is not None:
            raise ScanError(
                f"{self.name} has a triangle that names vertex {bad}, but its vertices are "
                f"numbered 0 to {count - 1}. The file is damaged or cut short; export it again."
            )
