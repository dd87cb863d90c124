# SPDX-License-Identifier: MIT
"""The field g by direct sums over near points: for bandwidths so small that no grid would fit.

It has the interface of `Field`. The unit of length is the distance beyond which a point contributes
nothing.
"""

from dataclasses import dataclass
from types import ModuleType

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums.grid import ShortenedAxes
from gplandmark.numerics.native import WithLoops
from gplandmark.numerics.threads import map_chunks

MOST_CUBES = 2.0**62  # cube numbers must fit an integer


@dataclass(frozen=True)
class Neighbours(WithLoops):
    """Points sorted into cubes of side one; a value sums over the 27 cubes around it."""

    sources: FloatArray  # (n, 3), sorted by cube
    masses: FloatArray
    keys: IndexArray  # occupied cubes, ascending
    starts: IndexArray  # (cubes + 1,)
    shape: IndexArray  # cubes along each axis
    shortened: ShortenedAxes
    origin: FloatArray
    step: float
    decay: float
    cutoff: float
    loops: ModuleType
    threads: int | None

    @property
    def scale(self) -> float:
        """``sqrt(eps)`` in these units."""
        return float(np.sqrt(0.5 / self.decay))

    def units(self, points: FloatArray) -> FloatArray:
        """Coordinates in units of the reach."""
        return np.ascontiguousarray((self.shortened(points) - self.origin) / self.step)

    def at(self, u: FloatArray) -> FloatArray:
        """G at points (n, 3)."""
        return map_chunks(self.at_once, u, 1024, self.threads)

    def at_once(self, u: FloatArray) -> FloatArray:
        """The same on this thread."""
        out = np.empty(len(u))
        self.loops.neighbour_sums(
            self.sources, self.masses, self.keys, self.starts, self.shape, u, out, 4.0 * self.decay
        )
        return out

    def entries(self, rows: FloatArray, columns: FloatArray, out: FloatArray) -> None:
        """Kernel entries ``out[j, i] = exp(-decay |x_i - y_j|^2) g((x_i + y_j) / 2)``."""
        for target, column in zip(out, columns, strict=True):
            exponent = self.decay * ((rows - column) ** 2).sum(axis=1)
            near = np.flatnonzero(exponent <= self.cutoff)
            target[:] = 0.0
            target[near] = np.exp(-exponent[near]) * self.at_once(0.5 * (rows[near] + column))


def near_field(
    points: FloatArray,
    masses: FloatArray,
    eps: float,
    tolerance: float,
    shortened: ShortenedAxes,
    loops: ModuleType,
    threads: int | None = None,
) -> Neighbours:
    """Sort the points into cubes as wide as the field of one of them."""
    cutoff = float(np.log(1e3 / tolerance))
    step = float(np.sqrt(0.5 * eps * cutoff))
    close = shortened(points)
    origin = close.min(axis=0)
    u = (close - origin) / step
    cube = np.floor(u)
    shape = cube.max(axis=0) + 1.0
    if np.prod(shape) > MOST_CUBES:
        raise SettingsError(
            f"The bandwidth {eps:.3g} is too small for {len(points):,} vertices that lie this far "
            "apart. Use a larger one."
        )
    x, y, z = cube.astype(np.int64).T
    key = (x * int(shape[1]) + y) * int(shape[2]) + z
    order = np.argsort(key, kind="stable")
    keys, first = np.unique(key[order], return_index=True)
    starts = np.append(first, len(points)).astype(np.int64)
    cubes = u[order], masses[order], keys, starts, shape.astype(np.int64)
    return Neighbours(*cubes, shortened, origin, step, 0.25 * cutoff, cutoff, loops, threads)
