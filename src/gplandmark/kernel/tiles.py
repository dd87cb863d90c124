# SPDX-License-Identifier: MIT
"""The matrix W = exp(-|x - y|^2 / eps) in tiles, without the tiles that are zero.

Points are sorted into compact blocks; a tile is the part of W between two blocks. Tiles
between blocks so far apart that every entry is below 1e-18 do not exist, of the rest only
those on and above the diagonal do, and those beyond the memory budget are computed anew
each time they are needed.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.gaussians.partition import partition
from gplandmark.kernel.squared_exponential import gaussian
from gplandmark.loops.threads import PROCESSORS

__all__ = ["GaussianTiles", "sort_into_blocks"]

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
        """Yield all tiles in order, those that are kept first made and stored."""
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
