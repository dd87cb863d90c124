# SPDX-License-Identifier: MIT
"""The process on a surface and its variance, made when they are first needed."""

import threading

from gplandmark.gp.conditioning import VarianceHistory
from gplandmark.landmarks import MethodSettings, covariance
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.visual.editor.live_variance import VarianceMap
from gplandmark.visual.editor.placement import SurfaceProcess


class VarianceSource:
    """A kernel and a map of the variance. Points are edited without them, and at once.

    `prepare` may run in another thread while a person edits. Whoever needs them meanwhile waits
    for it, and nothing is computed twice.
    """

    def __init__(
        self, surface: Surface, settings: MethodSettings, weight: FloatArray | None
    ) -> None:
        self._surface, self._settings, self._weight = surface, settings, weight
        self._process: SurfaceProcess | None = None
        self._map: VarianceMap | None = None
        self._lock = threading.RLock()

    @property
    def process(self) -> SurfaceProcess:
        """The process on the surface."""
        with self._lock:
            if self._process is None:
                kernel = covariance(self._surface, self._settings, self._weight)
                self._process = SurfaceProcess(self._surface, self._settings, self._weight, kernel)
            return self._process

    def variance(self, vertices: IndexArray, count: int | None) -> FloatArray:
        """The variance given landmarks at vertices (m,), or the first of them; -1 is missing."""
        with self._lock:
            given = self._given(vertices)
            return given.variance() if count is None else given.after(count)

    def curve(self, vertices: IndexArray, allowed: BoolArray) -> VarianceHistory:
        """Largest and mean variance after each landmark; `allowed` (n,) is where they may go."""
        with self._lock:
            return self._given(vertices).curve(allowed)

    def prepare(self, vertices: IndexArray) -> None:
        """Compute both for landmarks at these vertices."""
        with self._lock:
            self._given(vertices)

    def _given(self, vertices: IndexArray) -> VarianceMap:
        if self._map is None:
            self._map = VarianceMap(self._surface, self.process.kernel)
        self._map.show(vertices)
        return self._map
