# SPDX-License-Identifier: MIT
"""Eigenvalues and eigenfunctions of the Laplace-Beltrami operator of a surface.

They take long to compute and can be cached on disk, in a folder named by `cached_in` or by the
environment variable GPLANDMARK_CACHE. A file is named for the SHA-256 of all that went in, so that
it can never be out of date; one that is damaged is computed again.
"""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from gplandmark.errors import ScanError, SettingsError, warn
from gplandmark.mesh.areas import surface_area
from gplandmark.mesh.edges import boundary_edges, boundary_vertices
from gplandmark.mesh.eigenpairs import smallest_eigenpairs, spectral_gaps
from gplandmark.mesh.laplacian import LaplacianName, laplacian
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.representation import short_repr
from gplandmark.numerics.safe_files import replacing

BoundaryName: TypeAlias = Literal["dirichlet", "neumann"]
BOUNDARIES = ("dirichlet", "neumann")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The smallest eigenpairs: -Delta phi_i = lambda_i phi_i.

    Attributes
    ----------
    values : (k,) eigenvalues lambda_i, rising, in 1 / squared units of the file
    functions : (n, k) eigenfunctions phi_i, orthonormal: functions.T diag(mass) functions = 1
    mass : (n,) area of each vertex; 0 where the boundary condition sets functions to 0
    complete : these are all the eigenpairs that the mesh has
    """

    values: FloatArray
    functions: FloatArray
    mass: FloatArray
    complete: bool

    __repr__ = short_repr

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

    If `count` would split a multiple eigenvalue, all its copies are left out: which of them
    were kept would depend on the numbering of the vertices.

    Parameters
    ----------
    count : from 1; a mesh with fewer vertices has fewer
    laplacian : see `gplandmark.mesh.laplacian`
    boundary : on an open rim, "dirichlet" (functions are 0 there, as the paper assumes) or
        "neumann" (heat stays inside). They agree on a closed surface

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
    path = _cache_path(surface, "spectrum 1", laplacian, boundary, str(count))
    found = _cached(path, surface.vertex_count)
    if found is None:
        found = _compute(surface, count, laplacian, boundary)
        _store(path, found)
    return found


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
    wanted = min(count + 1, len(inside))
    values, vectors = smallest_eigenpairs(stiffness, operator.mass[inside], wanted)
    kept = len(values)
    if kept > count:  # those before the last spectral gap; all but the last if there is none
        gaps = spectral_gaps(values)
        kept = int(gaps[-1]) + 1 if len(gaps) else kept - 1
    functions = np.zeros((surface.vertex_count, kept))
    functions[inside] = vectors[:, :kept]
    mass = np.where(free, operator.mass, 0.0)
    return Spectrum(values[:kept], functions, mass, kept == len(inside))


def weyl_count(surface: Surface, value: float, boundary: BoundaryName) -> int:
    """Return about how many eigenvalues lie below `value`: Weyl's law in two dimensions.

        N(lambda) ~ area lambda / (4 pi) +- perimeter sqrt(lambda) / (4 pi)

    with + for the Neumann and - for the Dirichlet condition.
    """
    start, end = boundary_edges(surface).T
    perimeter = np.linalg.norm(surface.points[start] - surface.points[end], axis=1).sum()
    rim = (1 if boundary == "neumann" else -1) * float(perimeter) * np.sqrt(value)
    return max(1, int(np.ceil((surface_area(surface) * value + rim) / (4 * np.pi))))


CACHE_VARIABLE = "GPLANDMARK_CACHE"
_cache_folder: ContextVar[Path | None] = ContextVar("cache folder", default=None)


@contextmanager
def cached_in(folder: Path | str) -> Iterator[None]:
    """Cache eigenpairs in that folder while the block runs; it is created if necessary.

    Raises
    ------
    SettingsError
        The folder cannot be created or written to.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"The cache {path} cannot be made ({error.strerror}).") from None
    if not os.access(path, os.W_OK):
        raise SettingsError(f"The cache {path} is not writable. Choose another folder.")
    token = _cache_folder.set(path)
    try:
        yield
    finally:
        _cache_folder.reset(token)


def _cache_path(surface: Surface, *options: str) -> Path | None:
    """File for the SHA-256 of the points, the triangles and the options; None without a folder."""
    named = os.environ.get(CACHE_VARIABLE)
    folder = _cache_folder.get() or (Path(named) if named else None)
    if folder is None:
        return None
    digest = hashlib.sha256(repr(options).encode())
    for array in (surface.points, surface.faces()):
        digest.update(repr(array.shape).encode() + array.tobytes())
    return folder / f"{digest.hexdigest()}.npz"


def _cached(path: Path | None, vertex_count: int) -> Spectrum | None:
    """Return the spectrum on disk, or None if there is none that can be read."""
    if path is None:
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    if arrays.keys() != Spectrum.__dataclass_fields__.keys():
        return None
    if arrays["functions"].shape != (vertex_count, *arrays["values"].shape):
        return None
    return Spectrum(**{**arrays, "complete": bool(arrays["complete"])})


def _store(path: Path | None, found: Spectrum) -> None:
    """Write the spectrum completely or not at all; warn if the disk is full."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.savez(file, **vars(found))
    except OSError as error:
        warn(f"The eigenpairs could not be kept in {path.parent} ({error.strerror}).")
