# SPDX-License-Identifier: MIT
"""The process on a surface and its variance, made when they are first needed."""

import threading

from gplandmark.landmarks import MethodSettings, covariance
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
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

    def given(self, vertices: IndexArray) -> VarianceMap:
        """The variance given landmarks at vertices (m,) of the surface; -1 is a missing one."""
        with self._lock:
            if self._map is None:
                self._map = VarianceMap(self._surface, self.process.kernel)
            self._map.show(vertices)
            return self._map

    def prepare(self, vertices: IndexArray) -> None:
        """Compute both for landmarks at these vertices, unless they are there already."""
        with self._lock:
            if self._map is None:
                self.given(vertices)
