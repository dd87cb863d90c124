# SPDX-License-Identifier: MIT
"""The paper's kernel W Lambda W, by sums over all pairs of vertices."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from gplandmark.errors import KernelError
from gplandmark.gp.kernels.stationary import gaussian
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.partition import partition
from gplandmark.numerics.threads import PROCESSORS

BLOCK = 768  # larger blocks cost fewer Python steps, smaller ones skip more far tiles
NEGLIGIBLE = 41.4  # exp(-41.4) = 1e-18
MEMORY = 2**27  # bytes of tiles that are kept


@dataclass(frozen=True, eq=False)
class GaussianTiles:
    """Products with W over the given points; use `of` to make one."""

    blocks: list[IndexArray]
    parts: list[FloatArray]
    pairs: list[tuple[int, int]]
    eps: float
    kept: dict[tuple[int, int], FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, points: FloatArray, eps: float) -> "GaussianTiles":
        """Sort the points (n, d) into blocks and find the pairs of blocks that matter."""
        centred = points - points.mean(axis=0)
        blocks = sort_into_blocks(centred)
        parts = [centred[block] for block in blocks]
        low = np.array([part.min(axis=0) for part in parts])
        high = np.array([part.max(axis=0) for part in parts])
        gaps = np.maximum(0, np.maximum(low[:, None] - high, low - high[:, None]))
        near = (gaps**2).sum(axis=2) <= NEGLIGIBLE * eps
        pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(near))]
        return cls(blocks, parts, pairs, eps)

    def product(self, values: FloatArray) -> FloatArray:
        """W @ values, for values of shape (n,) or (n, m)."""
        return self._accumulate(values, lambda tile: tile)

    def squared_product(self, values: FloatArray) -> FloatArray:
        """(W * W) @ values, with the entries of W squared one by one, for shape (n,)."""
        return self._accumulate(values, np.square)

    def _accumulate(
        self, values: FloatArray, change: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        inputs = [values[block] for block in self.blocks]
        outputs = [np.zeros_like(each) for each in inputs]
        # Tiles are made by several threads but added in one order: any number of threads
        # gives the same digits.
        for (i, j), tile in self._tiles():
            changed = change(tile)
            outputs[i] += changed @ inputs[j]
            if i != j:
                outputs[j] += changed.T @ inputs[i]
        result = np.zeros_like(values)
        for block, output in zip(self.blocks, outputs, strict=True):
            result[block] = output
        return result

    def _tiles(self) -> Iterator[tuple[tuple[int, int], FloatArray]]:
        """Yield all tiles in order; as many as memory allows are stored for the next time."""
        if len(self.kept) == len(self.pairs):
            yield from self.kept.items()
            return
        workers = PROCESSORS
        budget = MEMORY - sum(tile.nbytes for tile in self.kept.values())
        with ThreadPoolExecutor(workers) as pool:
            remaining = iter(self.pairs)
            while batch := list(islice(remaining, 8 * workers)):  # bounds the tiles in flight
                for pair, tile in zip(batch, pool.map(self._tile, batch), strict=True):
                    if pair not in self.kept and tile.nbytes <= budget:
                        self.kept[pair] = tile
                        budget -= tile.nbytes
                    yield pair, tile

    def _tile(self, pair: tuple[int, int]) -> FloatArray:
        if pair in self.kept:
            return self.kept[pair]
        return gaussian(self.parts[pair[0]], self.parts[pair[1]], self.eps)


def sort_into_blocks(points: FloatArray, largest: int = BLOCK) -> list[IndexArray]:
    """Halve the points (n, d) along their longest side until no block has more than `largest`."""
    # No side is short enough to stop at: tiles are bounded by their number of points alone.
    return [block for block, _ in partition(points, -1.0, largest)]


CHUNK = 2048  # vertices summed over at a time, which bounds the memory of `between`


@dataclass(frozen=True, eq=False)
class ReweightedKernel:
    """K = W Lambda W, equation (location-prior-kernel-discrete) and step 10 of Algorithm 1.

        K(x, y) = sum_k exp(-|x - x_k|^2 / eps) w(x_k) nu(x_k) exp(-|x_k - y|^2 / eps)

    Neither W nor K is ever stored as an n x n matrix.

    Parameters
    ----------
    points : (n, d) vertices x_k
    masses : (n,) w(x_k) nu(x_k), the diagonal of Lambda
    eps : t / 2 of that equation, in squared units of the points
    """

    points: FloatArray
    masses: FloatArray
    eps: float

    def __post_init__(self) -> None:
        """Refuse what would not be a covariance."""
        check_bandwidth(self.eps)
        check_masses(self.masses, len(self.points))

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    @cached_property
    def _tiles(self) -> GaussianTiles:
        return GaussianTiles.of(self.points, self.eps)

    def diagonal(self) -> FloatArray:
        """K_ii = sum_k W_ik^2 Lambda_k, shape (n,): step 11 of Algorithm 1."""
        return self._tiles.squared_product(self.masses)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        near = gaussian(self.points, self.points[indices], self.eps)
        return self._tiles.product(self.masses[:, None] * near)

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.between(self.points[rows], self.points[columns])

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        total = np.zeros((len(points), len(others)))
        for start in range(0, self.size, CHUNK):
            part = slice(start, start + CHUNK)
            left = gaussian(points, self.points[part], self.eps)
            right = gaussian(self.points[part], others, self.eps)
            total += (left * self.masses[part]) @ right
        return total


def check_masses(masses: FloatArray, count: int) -> None:
    """Refuse weights that make no covariance: wrong in number, negative, or all zero."""
    if masses.shape != (count,):
        raise KernelError(f"Expected one weight per vertex, {count} in all, got {masses.shape}.")
    if not np.isfinite(masses).all() or (masses < 0).any():
        raise KernelError("Weights must be finite and not negative.")
    if not masses.any():
        raise KernelError("All weights are zero: no point of this surface has any variance.")
