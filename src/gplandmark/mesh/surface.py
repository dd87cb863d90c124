# SPDX-License-Identifier: MIT
"""The surface of one specimen, in the coordinates and units of its file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import ScanError, SettingsError
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import numbers, whole_numbers
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray, number_outside
from gplandmark.numerics.public import public

FEWEST_VERTICES = 4


@dataclass(frozen=True)
class Source:
    """The file that a surface was read from, what cleaning did, and how a volume was cut.

    The system is "LPS" or "RAS" if the file states it, as those of 3D Slicer do; `not_bone` is the
    SHA-256 of the list of what is not bone.
    """

    path: str
    sha256: str
    numbering: str = "vertices as numbered in the file, from 0"
    cleaning: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    volume: Mapping[str, Any] = field(default_factory=dict, metadata={"later": True})
    not_bone: str | None = field(default=None, metadata={"later": True})


@dataclass(frozen=True, eq=False)
class Numbers:
    """Vertex numbers of the file, where a surface holds only part of its vertices."""

    in_file: IndexArray  # (n,) number in the file of every vertex of the surface
    vertex: IndexArray  # (N,) vertex for every number in the file, -1 if left out; alike if merged


@dataclass(frozen=True, eq=False)
class Surface:
    """Points in space and the triangles between them, checked once.

    Parameters
    ----------
    points : (n, d) array of floats
        Kept as given: never centred, scaled or rotated.
    triangles : (m, 3) array of indices into `points`, or None for a bare point cloud
    name : the specimen's name, used in messages and in landmark files
    source : the file it came from, if any
    numbers : vertex numbers of the file, if the surface holds only part of its vertices; None
        where both are numbered alike
    left_out : (k, d) points of the file that a person painted as not bone, if any

    Raises
    ------
    ScanError
        Too few points, a coordinate that is not finite, no triangle, or one of unknown vertices.
    """

    points: FloatArray
    triangles: IndexArray | None = None
    name: str = "surface"
    source: Source | None = field(default=None, kw_only=True)
    numbers: Numbers | None = field(default=None, kw_only=True)
    left_out: FloatArray | None = field(default=None, kw_only=True, metadata={"later": True})

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ScanError(f"The name of a specimen must be a text, got {self.name!r}.")
        points = _points(self.points, self.name)
        object.__setattr__(self, "points", points)
        if self.triangles is not None:
            if points.shape[1] != 3:
                raise ScanError(
                    f"triangles need points in space, got dimension {points.shape[1]}.", self.name
                )
            triangles = _triangles(self.triangles, len(points), self.name)
            object.__setattr__(self, "triangles", triangles)

    def __repr__(self) -> str:
        kind = f"a cloud of dimension {self.points.shape[1]}"
        if self.triangles is not None:
            kind = f"{len(self.triangles):,} triangles"
        return f"Surface({self.name!r}, {self.vertex_count:,} vertices, {kind})"

    def _repr_png_(self) -> bytes | None:
        """A picture: what a notebook shows. None without matplotlib, or not in space."""
        return public("visual.pictures.surface_png")(self)  # type: ignore[no-any-return]

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """Return the points (n, d): what NumPy makes of a surface."""
        return np.array(self.points, dtype=dtype, copy=True if copy is None else copy)

    @property
    def vertex_count(self) -> int:
        """Number of points n."""
        return len(self.points)

    @property
    def system(self) -> str | None:
        """Coordinate system that the file states, "LPS" or "RAS"; None if it does not."""
        return None if self.source is None else self.source.system

    @property
    def file_vertex_count(self) -> int:
        """Number of vertices in the file, those included that cleaning left out."""
        return self.vertex_count if self.numbers is None else len(self.numbers.vertex)

    def in_file(self, vertices: IndexArray) -> IndexArray:
        """Numbers in the file of some vertices of the surface."""
        return vertices if self.numbers is None else self.numbers.in_file[vertices]

    def vertices_of(self, in_file: npt.ArrayLike) -> IndexArray:
        """Vertices of the surface for numbers in the file; -1 for those that were left out.

        Raises
        ------
        SettingsError
            A number is not one of the file.
        """
        asked = whole_numbers(in_file, "Vertices")
        count = self.file_vertex_count
        if (bad := number_outside(asked, count)) is not None:
            raise SettingsError(
                f"There is no vertex {bad}: the vertices of {self.name} are numbered "
                f"0 to {count - 1}."
            )
        return asked if self.numbers is None else self.numbers.vertex[asked]

    def from_file(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One value per vertex of the surface, from one per vertex of the file.

        Of vertices that were merged, the first gives its value; a mask holds for them if it holds
        for any. An array of another length than the file's is returned unchanged.
        """
        if self.numbers is None or values.shape != (self.file_vertex_count,):
            return values
        if values.dtype != bool:
            return values[self.numbers.in_file]
        mask = np.zeros(self.vertex_count, dtype=bool)
        mask[self.numbers.vertex[values & (self.numbers.vertex >= 0)]] = True
        return mask

    def faces(self) -> IndexArray:
        """Return the triangles, or raise a `ScanError` if there are none, as in a bare cloud."""
        if self.triangles is None:
            what = "has points but no triangles, and this needs a surface."
            raise ScanError.of(self.name, f"{what} Export it as a mesh with faces.")
        return self.triangles

    def covered(self) -> BoolArray:
        """Return which vertices belong to at least one triangle, shape (n,); in a cloud all do."""
        if self.triangles is None:
            return np.ones(self.vertex_count, dtype=bool)
        used = np.zeros(self.vertex_count, dtype=bool)
        used[self.triangles] = True
        return used


def _own(values: npt.ArrayLike, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array that nobody else can change: a copy, unless it is read-only already."""
    if isinstance(values, np.ndarray) and all(not each.flags.writeable for each in _owners(values)):
        return np.ascontiguousarray(array)
    return np.array(array, order="C")


def _owners(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """The array, and all that it is a view of."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base  # type: ignore[assignment]


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array that nothing else uses read-only, so that a surface takes it without a copy."""
    for each in reversed(list(_owners(array))):
        each.setflags(write=False)
    return array


def _points(points: npt.ArrayLike, name: str) -> FloatArray:
    array = _own(points, numbers(points, f"{name}: coordinates", ScanError))
    if array.ndim != 2:
        raise ScanError(f"expected points of shape (n, d), got {array.shape}.", name)
    if array.size and not np.isfinite([array.min(), array.max()]).all():  # quicker than one by one
        finite = np.isfinite(array).all(axis=1)
        if not finite.any():
            what = "has no vertex with finite coordinates. Export the scan again."
            raise ScanError.of(name, what)
        raise ScanError.of(
            name,
            f"has {np.count_nonzero(~finite):,} vertices with NaN or infinite coordinates "
            f"(the first is vertex {np.argmin(finite)}). Remove them in a mesh editor first.",
        )
    if len(array) < FEWEST_VERTICES:
        counts = {0: "no vertices", 1: "only 1 vertex"}
        count = counts.get(len(array), f"only {len(array)} vertices")
        raise ScanError.of(name, f"has {count}; a surface needs at least {FEWEST_VERTICES}.")
    array.setflags(write=False)
    return array


def _triangles(triangles: npt.ArrayLike, vertex_count: int, name: str) -> IndexArray:
    array = _own(triangles, whole_numbers(triangles, f"{name}: triangles", ScanError))
    if array.size == 0:
        raise ScanError.of(
            name,
            f"has {vertex_count:,} vertices but no triangles. "
            "Export it as a mesh with faces, not as a point cloud.",
        )
    if array.ndim != 2 or array.shape[1] != 3:
        raise ScanError(f"expected triangles of shape (m, 3), got {array.shape}.", name)
    if (bad := number_outside(array, vertex_count)) is not None:
        raise ScanError.of(
            name,
            f"has a triangle that names vertex {bad}, but its vertices are numbered "
            f"0 to {vertex_count - 1}. The file is damaged or cut short; export it again.",
        )
    array.setflags(write=False)
    return array


def cached_per_surface(
    quantity: Callable[[Surface], FloatArray],
) -> Callable[[Surface], FloatArray]:
    """Keep the array for as long as the surface lives; a surface never changes."""
    known: WeakKeyDictionary[Surface, FloatArray] = WeakKeyDictionary()

    @wraps(quantity)
    def cached(surface: Surface) -> FloatArray:
        if surface not in known:
            array = quantity(surface)
            array.setflags(write=False)
            known[surface] = array
        return known[surface]

    return cached
