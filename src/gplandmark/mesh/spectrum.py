# SPDX-License-Identifier: MIT
"""Eigenvalues and eigenfunctions of the Laplace-Beltrami operator of a surface."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gplandmark.errors import ScanError, SettingsError
from gplandmark.mesh.areas import surface_area
from gplandmark.mesh.caching import fingerprint, recall, store
from gplandmark.mesh.eigenpairs import SAME, smallest_eigenpairs
from gplandmark.mesh.laplacian import LaplacianName, laplacian
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.topology import boundary_vertices, edges
from gplandmark.numerics.arrays import FloatArray

__all__ = ["BOUNDARIES", "BoundaryName", "Spectrum", "spectrum", "weyl_count"]

BoundaryName: TypeAlias = Literal["dirichlet", "neumann"]
BOUNDARIES = ("dirichlet", "neumann")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The smallest eigenpairs: -Delta phi_i = lambda_i phi_i.

    Attributes
    ----------
    values : (k,) eigenvalues lambda_i, rising, in 1 / squared units of the file
    functions : (n, k) eigenfunctions phi_i, orthonormal: functions.T diag(mass) functions = 1
    mass : (n,) area of each vertex; 0 where functions vanish by decree
    complete : these are all the eigenpairs that the mesh has
    """

    values: FloatArray
    functions: FloatArray
    mass: FloatArray
    complete: bool

    @property
    def area(self) -> float:
        """Area on which the functions live, in squared units of the file."""
        return float(self.mass.sum())


def spectrum(
    surface: Surface,
    count: int,
    *,
    laplacian: LaplacianName = "robust",
    boundary: BoundaryName = "dirichlet",
) -> Spectrum:
    """Compute the smallest eigenpairs of -Delta, at most `count`.

    Where `count` would cut through a multiple eigenvalue, all its copies are left out: which
    of them were kept would depend on the numbering of the vertices.

    Parameters
    ----------
    count : from 1; a mesh with fewer vertices has fewer
    laplacian : see `gplandmark.mesh.laplacian`
    boundary : on an open rim, "dirichlet" (functions are 0 there, as the paper assumes) or
        "neumann" (heat stays inside). They are the same on a closed surface

    Raises
    ------
    SettingsError
        The count is below 1, or a name is unknown.
    ScanError
        There is no triangle, no area, or no vertex off the rim.
    KernelError
        The solver does not converge.
    """
    if count < 1:
        raise SettingsError(f"The number of eigenpairs must be at least 1, got {count}.")
    if boundary not in BOUNDARIES:
        raise SettingsError(
            f"There is no boundary condition '{boundary}'. Choose one of {', '.join(BOUNDARIES)}."
        )
    key = fingerprint(surface, "spectrum 1", laplacian, boundary, str(count))
    found = _kept(key, surface.vertex_count)
    if found is None:
        found = _compute(surface, count, laplacian, boundary)
        store(key, vars(found))
    return found


def _kept(key: str, vertex_count: int) -> Spectrum | None:
    """Return the spectrum on disk, unless there is none or it is not one."""
    arrays = recall(key)
    if arrays is None or arrays.keys() != Spectrum.__dataclass_fields__.keys():
        return None
    if arrays["functions"].shape != (vertex_count, *arrays["values"].shape):
        return None
    complete = bool(arrays["complete"])
    return Spectrum(arrays["values"], arrays["functions"], arrays["mass"], complete)


def _compute(surface: Surface, count: int, kind: LaplacianName, boundary: str) -> Spectrum:
    operator = laplacian(surface, kind)
    free = operator.mass > 0
    if boundary == "dirichlet":
        free &= ~boundary_vertices(surface)
    inside = np.flatnonzero(free)
    if len(inside) == 0:
        raise ScanError(
            f"Every vertex of {surface.name} lies on its rim, where the Dirichlet condition holds "
            "all functions at 0. Use the Neumann condition."
        )
    stiffness = operator.stiffness[inside][:, inside].tocsc()
    values, vectors = smallest_eigenpairs(
        stiffness, operator.mass[inside], min(count + 1, len(inside))
    )
    kept = len(values) if len(values) <= count else _last_gap(values)
    functions = np.zeros((surface.vertex_count, kept))
    functions[inside] = vectors[:, :kept]
    mass = np.where(free, operator.mass, 0.0)
    return Spectrum(values[:kept], functions, mass, kept == len(inside))


def _last_gap(values: FloatArray) -> int:
    """How many eigenvalues lie before the last gap; all but the last if there is none."""
    gaps = np.flatnonzero(np.diff(values) > SAME * values[-1])
    return int(gaps[-1]) + 1 if len(gaps) else len(values) - 1


def weyl_count(surface: Surface, value: float, boundary: BoundaryName) -> int:
    """Return about how many eigenvalues lie below `value`: Weyl's law in two dimensions.

        N(lambda) ~ area lambda / (4 pi) +- perimeter sqrt(lambda) / (4 pi)

    with + for the Neumann and - for the Dirichlet condition.
    """
    sign = 1 if boundary == "neumann" else -1
    rim = sign * _perimeter(surface) * np.sqrt(value)
    return max(1, int(np.ceil((surface_area(surface) * value + rim) / (4 * np.pi))))


def _perimeter(surface: Surface) -> float:
    ends, counts = edges(surface)
    rim = ends[counts == 1]
    sides = surface.points[rim[:, 0]] - surface.points[rim[:, 1]]
    return float(np.linalg.norm(sides, axis=1).sum())
