# SPDX-License-Identifier: MIT
"""Several pieces in one scan: which to keep, and which lie inside the largest."""

from dataclasses import dataclass

import numpy as np

from gplandmark.io.cleaning.rules import Components
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["Pieces", "kept_pieces", "pieces_inside", "pieces_of"]


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of a mesh, in the order of their lowest vertices.

    Attributes
    ----------
    of_triangle : (m,) number of the piece of every triangle
    areas : (p,) area of every piece
    lowest : (p,) lowest vertex of every piece
    """

    of_triangle: IndexArray
    areas: FloatArray
    lowest: IndexArray

    @property
    def largest(self) -> int:
        """The piece with the largest area; of equals the first."""
        return int(np.argmax(self.areas))


def pieces_of(triangles: IndexArray, labels: IndexArray, double_areas: FloatArray) -> Pieces:
    """Sort triangles into pieces by the labels of their vertices."""
    lowest, of_triangle = np.unique(labels[triangles[:, 0]], return_inverse=True)
    areas = np.bincount(of_triangle, double_areas / 2, len(lowest)).astype(np.float64)
    return Pieces(of_triangle, areas, lowest)


def kept_pieces(pieces: Pieces, components: Components) -> BoolArray:
    """Tell which pieces the rule keeps, shape (p,); the largest is always among them."""
    if isinstance(components, str):
        kept = np.full(len(pieces.areas), components == "all")
    else:
        kept = np.asarray(pieces.areas >= components * pieces.areas.sum())
    kept[pieces.largest] = True
    return kept


def pieces_inside(points: FloatArray, triangles: IndexArray, pieces: Pieces) -> int:
    """Number of pieces inside the largest, by its winding number at their lowest vertices."""
    import igl  # slow to import, and most scans have one piece

    others = np.delete(pieces.lowest, pieces.largest)
    shell = triangles[pieces.of_triangle == pieces.largest]
    used, renumbered = np.unique(shell, return_inverse=True)
    low, high = points[used].min(axis=0), points[used].max(axis=0)
    near = ((points[others] >= low) & (points[others] <= high)).all(axis=1)
    # libigl computes this in single precision, where large coordinates end the program.
    scale = 1 / (high - low).max()
    numbers = igl.fast_winding_number(
        (points[used] - low) * scale,
        renumbered.reshape(-1, 3),
        (points[others[near]] - low) * scale,
    )
    return int(np.count_nonzero(np.abs(numbers) > 0.5))
