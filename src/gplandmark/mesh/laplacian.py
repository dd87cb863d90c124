# SPDX-License-Identifier: MIT
"""The Laplace-Beltrami operator of a surface, as stiffness and mass."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.mesh.areas import proper_triangles, surface_area, voronoi_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

LaplacianName: TypeAlias = Literal["robust", "cotangent"]
LAPLACIANS = ("robust", "cotangent")


@dataclass(frozen=True, eq=False)
class Laplacian:
    """-Delta as a matrix: f -> M^-1 L f."""

    stiffness: "scipy.sparse.csc_array"  # (n, n) L, symmetric, positive semidefinite; without units
    mass: FloatArray  # (n,) diagonal of M, the area of each vertex; 0 without triangles


def laplacian(surface: Surface, kind: LaplacianName = "robust") -> Laplacian:
    """Discretise -Delta on a surface, with the natural (Neumann) condition on its rim.

    Parameters
    ----------
    kind : "robust", the tufted intrinsic Delaunay operator of Sharp and Crane, which accepts
        slivers and edges with three triangles; or "cotangent", the linear finite elements of
        the triangles as they are, with mixed Voronoi areas

    Raises
    ------
    ScanError
        The surface has no triangles, or no area.
    KernelError
        Triangles are so thin that their angles cannot be computed.
    """
    if kind not in LAPLACIANS:
        known = ", ".join(LAPLACIANS)
        raise SettingsError(f"There is no Laplacian '{kind}'. Choose one of {known}.")
    stiffness, mass = (_robust if kind == "robust" else _cotangent)(surface)
    if not (np.isfinite(stiffness.data).all() and np.isfinite(mass).all()):
        remedy = "Use the robust one" if kind == "cotangent" else "Remesh the surface"
        raise KernelError(
            f"{surface.name} has triangles too thin for the {kind} Laplacian. {remedy}."
        )
    return Laplacian(stiffness, mass)


def _cotangent(surface: Surface) -> "tuple[scipy.sparse.csc_array, FloatArray]":
    import igl

    matrix = igl.cotmatrix(_unit_points(surface), proper_triangles(surface))
    return scipy.sparse.csc_array(-matrix), voronoi_areas(surface)


def _robust(surface: Surface) -> "tuple[scipy.sparse.csc_array, FloatArray]":
    import robust_laplacian

    triangles = proper_triangles(surface)
    used, compact = np.unique(triangles, return_inverse=True)
    compact = compact.reshape(triangles.shape)
    matrix, areas = robust_laplacian.mesh_laplacian(_unit_points(surface)[used], compact)
    mass = np.zeros(surface.vertex_count)
    mass[used] = areas.diagonal() * surface_area(surface)
    entries = scipy.sparse.coo_array(matrix)
    rows, columns = (used[index] for index in entries.coords)
    shape = (surface.vertex_count, surface.vertex_count)
    return scipy.sparse.csc_array((entries.data, (rows, columns)), shape=shape), mass


def _unit_points(surface: Surface) -> FloatArray:
    """Points about their centre with unit area: large offsets and odd units cost digits."""
    centred = surface.points - surface.points.mean(axis=0)
    return np.asarray(centred / np.sqrt(surface_area(surface)))
