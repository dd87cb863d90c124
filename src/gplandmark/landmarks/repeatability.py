# SPDX-License-Identifier: MIT
"""How far landmarks move if the same specimen has another mesh."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy

from gplandmark.errors import ScanError, SettingsError
from gplandmark.landmarks.place import place
from gplandmark.landmarks.presets import MethodSettings
from gplandmark.mesh import surface_area
from gplandmark.mesh.areas import proper_triangles
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

NEAR = 0.02  # of sqrt(area): a landmark with one of the new ones this near has stayed
NOISE = 0.1  # standard deviation of the noise, in median edge lengths
COLUMNS = ("change", "vertices", "median", "percentile_90", "largest", "stayed")


@dataclass(frozen=True, eq=False)
class Stability:
    """How far landmarks of a scan are from the nearest ones on a changed mesh.

    Attributes
    ----------
    name : of the change
    vertices : of the changed mesh
    distances : (m,) of each landmark, in file units
    unit : sqrt(area) of the scan
    """

    name: str
    vertices: int
    distances: FloatArray
    unit: float

    @property
    def stayed(self) -> float:
        """Fraction of landmarks that have one of the new ones within 0.02 sqrt(area)."""
        return float(np.mean(self.distances < NEAR * self.unit))

    def row(self) -> tuple[str, int, float, float, float, float]:
        """Row of the table, with the columns `COLUMNS`; distances in file units."""
        middle, high = np.quantile(self.distances, [0.5, 0.9])
        return (self.name, self.vertices, float(middle), float(high),
                float(self.distances.max()), self.stayed)  # fmt: skip


def repeatability(
    surface: Surface,
    count: int,
    *,
    settings: MethodSettings | None = None,
    between_vertices: bool = False,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[Stability, ...]:
    """Place landmarks on a scan and on other meshes of the same surface, and compare them.

    The meshes are: every triangle split into four, half the triangles (quadric error), and the
    vertices moved at random along their normals by a tenth of an edge.

    Parameters
    ----------
    progress : called with the name of each change before its landmarks are placed

    Raises
    ------
    ScanError
        The surface has no triangles.
    SettingsError
        The number of landmarks is below 1.
    """
    if count < 1:
        raise SettingsError(f"The number of landmarks must be at least 1, got {count}.")
    if surface.triangles is None:
        raise ScanError(f"{surface.name} has no triangles, so that it has no other mesh.")
    changes: Mapping[str, Callable[[Surface], Surface]] = {
        "subdivided": _subdivided,
        "decimated": _decimated,
        "noise": lambda given: _noisy(given, seed),
    }

    def points(name: str, given: Surface) -> FloatArray:
        if progress is not None:
            progress(name)
        return place(given, count, settings=settings, between_vertices=between_vertices).points

    first = points("as it is", surface)
    unit = float(np.sqrt(surface_area(surface)))
    found = []
    for name, change in changes.items():
        changed = change(surface)
        distances = np.asarray(scipy.spatial.cKDTree(points(name, changed)).query(first)[0])
        found.append(Stability(name, changed.vertex_count, distances, unit))
    return tuple(found)


def _other(surface: Surface, points: FloatArray, triangles: object) -> Surface:
    return Surface(np.asarray(points), np.asarray(triangles, dtype=np.int64), surface.name)


def _subdivided(surface: Surface) -> Surface:
    import igl

    return _other(surface, *igl.upsample(surface.points, proper_triangles(surface)))


def _decimated(surface: Surface) -> Surface:
    """Half the triangles; where the mesh is no manifold, half the vertices by cells of a grid."""
    import igl

    centre = surface.points.mean(axis=0)
    triangles = proper_triangles(surface)
    found = igl.qslim(surface.points - centre, triangles, len(triangles) // 2)
    if len(found[0]):
        return _other(surface, found[0] + centre, found[1])
    kept, coarse = coarse_mesh(surface, surface.vertex_count // 2)
    return _other(surface, surface.points[kept], coarse)


def _noisy(surface: Surface, seed: int) -> Surface:
    import igl

    triangles = proper_triangles(surface)
    corners = surface.points[triangles]
    edge = float(np.median(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)))
    random = np.random.default_rng(seed)
    shifts = NOISE * edge * random.normal(size=(surface.vertex_count, 1))
    normals = np.nan_to_num(igl.per_vertex_normals(surface.points, triangles))
    return replace(surface, points=surface.points + shifts * normals, source=None)
