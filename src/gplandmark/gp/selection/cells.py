# SPDX-License-Identifier: MIT
"""Vertices in spatial cells, each with its own piece of the pivoted Cholesky factor.

A cell carries the variance at a few *nodes* and brings them up to date only when asked: the
columns of all landmarks since its last refresh are computed at once. In a full cell the nodes are
a tensor grid of Chebyshev points, and the variance of its vertices is the polynomial through them;
this is as accurate as the kernel because every variance is a sum of Gaussians
exp(-2 |x - m|^2 / eps), entire functions on the scale of sqrt(eps). Columns of the factor are sums
of exp(-|x - m|^2 / eps), smoother by sqrt(2), so that about half as many nodes carry them. In a
sparse cell the nodes are the vertices themselves.
"""

from dataclasses import dataclass, field

import numpy as np

from gplandmark.gp.selection.chebyshev import (
    MOST,
    Nodes,
    chebyshev_nodes,
    column_nodes,
    node_count,
    to_series,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.field import Field
from gplandmark.numerics.gaussian_sums.near_points import Neighbours

ROOM = 256  # factor columns reserved where their number is not known beforehand
BRICK = 6.0  # grid steps
WORTH = 3.0  # Chebyshev nodes are used where they are fewer than this part of the vertices
SMOOTHER = 2.0**0.5  # scale of a column over that of a variance
STRICTER = 0.5  # part of the tolerance for columns: their errors count twice in a square


@dataclass
class Picks:
    """The picks so far: where they are, and the rows of the Cholesky factor at them."""

    largest: float  # no entry of any column exceeds this, sqrt(max K)
    negligible: float  # columns below this move no variance
    room: int = ROOM  # landmarks expected in all
    count: int = 0

    def __post_init__(self) -> None:
        self.points = np.zeros((64, 3))  # grid units
        self.factor = np.zeros((64, 64))  # lower triangular
        self.scales = np.zeros(64)  # its diagonal

    def append(self, point: FloatArray, row: FloatArray, scale: float) -> None:
        """Add a landmark with its factor row (count,) and diagonal entry."""
        if self.count == len(self.points):
            self.points = enlarged(self.points, 2 * self.count)
            self.scales = np.append(self.scales, self.scales)
            square = np.zeros((2 * self.count, 2 * self.count))
            square[: self.count, : self.count] = self.factor
            self.factor = square
        self.points[self.count] = point
        self.factor[self.count, : self.count] = row
        self.factor[self.count, self.count] = self.scales[self.count] = scale
        self.count += 1

    def rows(self, fresh: IndexArray, active: list[int]) -> FloatArray:
        """Factor rows of the landmarks `fresh`, at the columns of the active ones."""
        if len(active) == fresh[-1] + 1:  # all of them: nothing to pick out
            return self.factor[fresh[0] : fresh[-1] + 1]
        return self.factor[fresh[:, None], active]


@dataclass
class Cell:
    """One cell; its candidates come first among its vertices."""

    vertices: IndexArray
    points: FloatArray  # (m, 3) grid units
    candidates: int
    box: FloatArray  # (2, 3) lower and upper corner of its points
    nodes: Nodes | None  # None: the vertices
    variances: FloatArray  # at the nodes
    sizes: FloatArray = field(init=False)  # largest entries of the active columns, where known
    factor: FloatArray = field(init=False)  # (capacity, nodes), one row for every active landmark
    active: list[int] = field(default_factory=list)  # landmarks whose columns reach this cell
    done: int = 0  # landmarks accounted for

    def __post_init__(self) -> None:
        self.sizes = np.zeros(0)
        self.release()

    @property
    def width(self) -> int:
        """Numbers in a column."""
        return len(self.variances) if self.nodes is None else self.nodes.count

    def refresh(self, kernel: Field | Neighbours, landmarks: Picks) -> None:
        """Account for all landmarks picked since the last refresh."""
        known = len(self.active)
        reached = self.near(kernel, landmarks.points[self.done : landmarks.count])
        if not reached.all():
            reached = self.coupled(landmarks, reached)
        kept = np.arange(self.done, landmarks.count)[reached]
        self.done = landmarks.count
        if len(kept) == 0:
            return
        self.active.extend(kept.tolist())
        self.reserve(len(self.active), landmarks.room)
        fresh = self.factor[known : known + len(kept)]
        rows, scales = landmarks.rows(kept, self.active), landmarks.scales[kept]
        if self.nodes is None or isinstance(kernel, Neighbours):
            kernel.entries(self.points, landmarks.points[kept], fresh)
            kernel.loops.downdate(self.factor, rows, scales, self.variances, known)
            return
        kernel.tensor_entries(self.nodes.columns, landmarks.points[kept], fresh)
        kernel.loops.downdate(self.factor, rows, scales, np.zeros(self.width), known)
        kernel.loops.subtract_squares(fresh, *self.nodes.matrices, self.variances)

    def near(self, kernel: Field | Neighbours, points: FloatArray) -> BoolArray:
        """Landmarks whose kernel column is not zero in this cell."""
        gap = np.maximum(np.maximum(self.box[0] - points, points - self.box[1]), 0.0)
        return np.asarray(kernel.decay * (gap**2).sum(axis=1) <= kernel.cutoff)

    def coupled(self, landmarks: Picks, near: BoolArray) -> BoolArray:
        """Fresh landmarks that reach this cell, if only through others.

        Where K_j vanishes, ``|c_j| <= sum_i |w_ji| max|c_i| / s_j``, which falls off from one
        landmark to the next; a landmark that is near gets the bound that holds for every column,
        sqrt(max K).
        """
        unmeasured = self.factor[len(self.sizes) : len(self.active)]
        self.sizes = np.append(self.sizes, np.abs(unmeasured).max(axis=1))
        rows = np.abs(landmarks.factor[self.done : landmarks.count])
        fresh = rows[:, self.done : landmarks.count]
        scales = landmarks.scales[self.done : landmarks.count]
        bounds = np.where(near, landmarks.largest, rows[:, self.active] @ self.sizes / scales)
        for j in np.flatnonzero(~near):
            bounds[j] = min(bounds[j] + fresh[j, :j] @ bounds[:j] / scales[j], landmarks.largest)
        return bounds > landmarks.negligible

    def reserve(self, columns: int, room: int) -> None:
        """Make room for that many factor columns; pages not yet written take no memory."""
        if columns > len(self.factor):
            self.factor = enlarged(self.factor, max(columns, 2 * len(self.factor), room))

    def release(self) -> None:
        """Give the factor's memory back; the cell cannot be refreshed after this."""
        self.factor = np.zeros((0, self.width))

    def values(self, kernel: Field | Neighbours, count: int, negligible: float) -> FloatArray:
        """Variance at the first ``count`` vertices, from the nodes."""
        if self.nodes is None:
            return self.variances[:count]
        x, y, z = self.nodes.shape
        # Slice by slice: products this small stay on this thread, larger ones wake BLAS's own.
        across = to_series(x) @ self.variances.reshape(x, y, z).transpose(1, 0, 2)
        series = to_series(y) @ across.transpose(1, 0, 2) @ to_series(z).T
        half = 0.5 * (self.box[1] - self.box[0])
        frame = np.array([self.box[0] + half, 1.0 / np.where(half > 0.0, half, 1.0)])
        out = np.empty(count)
        kernel.loops.chebyshev_series(series, frame, self.points[:count], out, negligible / (x * y))
        return out


def enlarged(table: FloatArray, length: int) -> FloatArray:
    """A copy with room for ``length`` rows."""
    larger = np.empty((length, table.shape[1]))
    larger[: len(table)] = table
    return larger


def make_cell(
    kernel: Field | Neighbours,
    vertices: IndexArray,
    points: FloatArray,
    candidates: int,
    tolerance: float,
) -> Cell:
    """A cell over points (m, 3) in grid units, with Chebyshev nodes where those are fewer."""
    box = np.array([points.min(axis=0), points.max(axis=0)])
    counts = [node_count(length, kernel.scale, tolerance) for length in box[1] - box[0]]
    is_costly = max(counts) > MOST or np.prod(counts) > WORTH * len(points)
    if is_costly or isinstance(kernel, Neighbours):
        order = np.lexsort((bricks(points), np.arange(len(points)) >= candidates))
        points = points[order]
        return Cell(vertices[order], points, candidates, box, None, kernel.at_once(points))
    x, y, z = (chebyshev_nodes(*ends) for ends in zip(box[0], box[1], counts, strict=True))
    places = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = column_nodes(box, counts, SMOOTHER * kernel.scale, STRICTER * tolerance)
    return Cell(vertices, points, candidates, box, nodes, kernel.at_once(places))


def bricks(points: FloatArray) -> IndexArray:
    """Number of the brick that holds each point: neighbours in turn read the same part of a table.

    Kernel entries cost a sixth less in this order.
    """
    x, y, z = np.floor((points - points.min(axis=0)).T / BRICK).astype(np.int64)
    return np.asarray((x * (y.max() + 1) + y) * (z.max() + 1) + z)
