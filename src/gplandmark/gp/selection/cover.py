# SPDX-License-Identifier: MIT
"""All cells of a surface, their stale bounds, and the rule by which they are brought up to date."""

from dataclasses import dataclass

import numpy as np

from gplandmark.gp.kernels import FieldKernel
from gplandmark.gp.selection.cells import Cell, Picks, make_cell
from gplandmark.gp.selection.result import TIE
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.partition import partition
from gplandmark.numerics.threads import run_threaded

BATCH = 8  # cells refreshed together, whatever the number of threads
SIDE = 1.2  # longest cell, in units of sqrt(eps)
CROWD = 1024  # vertices of a cell too small to split
FEW, FEW_CROWD = 10_000, 2600  # a small surface is done before laziness saves what cells cost
FLOOR = 4.0  # variances below this many tolerances of the largest entry are noise


@dataclass
class Cover:
    """Cells, their stale bounds, and the landmarks so far."""

    kernel: FieldKernel
    cells: list[Cell]
    bounds: FloatArray  # largest candidate variance of each cell at its last refresh
    done: IndexArray  # landmarks each cell accounts for
    landmarks: Picks
    slack: float  # error of a cell's polynomial
    floor: float  # variances below are noise

    def nodes_within_reach(self) -> float:
        """Nodes of all cells that a landmark touches, on average over a sample of cells.

        A landmark couples cells beyond its own reach through its neighbours; three times the reach
        is where that was seen to end.
        """
        field = self.kernel.field
        boxes = np.array([cell.box for cell in self.cells])
        nodes = np.array([cell.width for cell in self.cells])
        sample = boxes[:: max(1, len(boxes) // 256)]
        low, high = boxes[:, 0], boxes[:, 1]
        gaps = np.maximum(low[None] - sample[:, None, 1], sample[:, None, 0] - high[None])
        squares = (np.maximum(gaps, 0.0) ** 2).sum(axis=2)
        is_reached = field.decay * squares <= 9 * field.cutoff
        return float(np.where(is_reached, nodes, 0).sum(axis=1).mean())

    def settle(self) -> float:
        """Refresh cells until no stale bound can pass the best fresh value, which is returned."""
        stale = self.done < self.landmarks.count
        if not stale.any():
            return float(self.bounds.max())
        while True:
            best = self.bounds[~stale].max(initial=-np.inf)
            rivals = np.flatnonzero(stale & (self.bounds >= self.threshold(best)))
            if len(rivals) == 0:
                return float(best)
            batch = rivals[np.argsort(-self.bounds[rivals], kind="stable")[:BATCH]]
            run_threaded(self.refresh, batch.tolist(), self.kernel.field.threads)
            stale[batch] = False

    def threshold(self, best: float) -> float:
        """Values above this may be the largest."""
        return best - TIE * abs(best) - 2.0 * self.slack

    def refresh(self, index: int) -> None:
        """Bring one cell and its bound up to date."""
        cell = self.cells[index]
        cell.refresh(self.kernel.field, self.landmarks)
        self.done[index] = self.landmarks.count
        self.bounds[index] = self.values(cell).max(initial=-np.inf)

    def values(self, cell: Cell) -> FloatArray:
        """Variance at the candidates of a cell."""
        return cell.values(self.kernel.field, cell.candidates, self.slack)

    def winners(self, best: float) -> IndexArray:
        """The candidates of largest variance: one, or those that tie."""
        least = self.threshold(best)
        rivals = [self.cells[k] for k in np.flatnonzero(self.bounds >= least)]
        near = [np.flatnonzero(self.values(cell) >= least) for cell in rivals]
        vertices = np.concatenate(
            [cell.vertices[at] for cell, at in zip(rivals, near, strict=True)]
        )
        if self.slack == 0.0:
            return vertices  # no cell has a polynomial: these all tie
        exact, _ = self.exact(self.kernel.units[vertices])
        return np.asarray(vertices[exact >= exact.max() * (1.0 - TIE)])

    def exact(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Variance and factor columns (landmarks, m) at points in grid units, no polynomials."""
        field, count = self.kernel.field, self.landmarks.count
        factor = np.empty((count, len(points)))
        field.entries(points, self.landmarks.points[:count], factor)
        variances = field.at_once(points)
        weights = self.landmarks.factor[:count]
        field.loops.downdate(factor, weights, self.landmarks.scales[:count], variances, 0)
        return variances, factor

    def pick(self, point: FloatArray) -> float | None:
        """Make a point (3,) a landmark and return its variance; None if the others explain it."""
        variance, row = self.exact(point[None])
        peak = float(variance[0])
        if peak <= self.floor:
            return None
        self.landmarks.append(point, row[:, 0], float(np.sqrt(peak)))
        return peak

    def remaining(self) -> FloatArray:
        """Variance at all vertices after all landmarks; the last thing asked of a search."""
        out = np.empty(self.kernel.size)

        def finish(cell: Cell) -> None:
            cell.refresh(self.kernel.field, self.landmarks)
            out[cell.vertices] = cell.values(self.kernel.field, len(cell.vertices), self.slack)
            cell.release()

        run_threaded(finish, self.cells, self.kernel.field.threads)
        return np.maximum(out, 0.0)


def make_cover(kernel: FieldKernel, candidates: BoolArray, room: int) -> Cover:
    """Sort the vertices into cells, before the first landmark."""
    field = kernel.field
    diagonal = kernel.diagonal()
    peak = float(diagonal.max())
    crowd = FEW_CROWD if kernel.size <= FEW else CROWD
    parts = partition(kernel.units, SIDE * field.scale, crowd, field.threads)
    cells: dict[int, Cell] = {}
    bounds = np.zeros(len(parts))

    def build(k: int) -> None:
        vertices, columns = parts[k]
        order = np.argsort(~candidates[vertices], kind="stable")
        count = int(candidates[vertices].sum())
        points = np.ascontiguousarray(columns[:, order].T)
        cells[k] = make_cell(field, vertices[order], points, count, 0.25 * kernel.tolerance)
        bounds[k] = diagonal[vertices[order[:count]]].max(initial=-np.inf)

    run_threaded(build, range(len(parts)), field.threads)
    largest = float(np.sqrt(max(peak, 0.0)))
    landmarks = Picks(largest, 1e-3 * kernel.tolerance * largest, room)
    has_polynomials = any(cell.nodes is not None for cell in cells.values())
    return Cover(
        kernel,
        [cells[k] for k in range(len(parts))],
        bounds,
        np.zeros(len(parts), dtype=np.int64),
        landmarks,
        slack=0.25 * kernel.tolerance * peak if has_polynomials else 0.0,
        floor=FLOOR * kernel.tolerance * peak,
    )
